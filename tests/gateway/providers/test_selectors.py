"""Which accounts are asked, in which order; and that a sandbox reaches none."""

import pytest

from accounts.models import Merchant
from gateway.providers.errors import RouteInvalid, SandboxReachesOut
from gateway.providers.models import ProviderAccount, ProviderRoute
from gateway.providers.selectors import rail_of, route
from tests.support.companies import Shop
from tests.support.providers import active, routed


def users(merchant: Merchant) -> list[str]:
    return [account.title for account in route(merchant, "PIX", "BRL")]


def test_the_companys_own_order_comes_before_everybodys(acme: Shop, globex: Shop) -> None:
    first, second, own = active("first"), active("second"), active("own", acme.production)
    routed(second, first)
    routed(own, first, merchant=acme.production)

    assert users(acme.production) == ["own", "first"]
    assert users(globex.production) == ["second", "first"]
    assert route(acme.production, "SPEI", "MXN") == []


def test_only_active_accounts_of_production_systems_that_the_company_may_use_are_asked(
    acme: Shop, globex: Shop
) -> None:
    unusable: dict[str, dict[str, object]] = {
        "paused": {"status": "PAUSED"},
        "closed": {"status": "CLOSED"},
        "test": {"system": "TEST"},
        "unknown": {"provider": "gone"},
        "theirs": {"merchant": globex.production},
        "usable": {},
    }
    routed(*(active(name) for name in unusable))
    for name, facts in unusable.items():
        if facts:
            ProviderAccount.objects.filter(title=name).update(**facts)

    assert ProviderRoute.objects.count() == 6
    assert users(acme.production) == ["usable"]


def test_a_sandbox_has_no_accounts_and_opens_none(acme: Shop, globex: Shop) -> None:
    account, theirs = active("of all"), active("theirs", globex.production)
    routed(account)
    with pytest.raises(RouteInvalid):
        routed(account, merchant=acme.sandbox)
    ProviderRoute.objects.create(merchant=acme.sandbox, method="PIX", currency="BRL", position=0, account=account)

    assert users(acme.sandbox) == []
    for opens, merchant in ((account, acme.sandbox), (theirs, acme.production), (theirs, acme.sandbox)):
        with pytest.raises(SandboxReachesOut):
            rail_of(opens, "PIX", "BRL", of=merchant)
    assert rail_of(account, "PIX", "BRL", of=acme.production).method == "PIX"
