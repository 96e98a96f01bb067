"""Which accounts are asked, in which order; and that a sandbox reaches none."""

import pytest

from accounts.models import Merchant
from gateway.providers.errors import RouteInvalid, SandboxReachesOut
from gateway.providers.models import ProviderAccount, ProviderRoute
from gateway.providers.routes import Place
from gateway.providers.selectors import rail_of, route
from tests.support.companies import Shop
from tests.support.providers import active, routed


def users(merchant: Merchant, amount: int = 1_000) -> list[str]:
    return [account.title for account in route(merchant, "PIX", "BRL", amount)]


def test_the_companys_own_order_comes_before_everybodys(acme: Shop, globex: Shop) -> None:
    first, second, own = active("first"), active("second"), active("own", acme.production)
    routed(second, first)
    routed(own, first, merchant=acme.production)

    assert users(acme.production) == ["own", "first"]
    assert users(globex.production) == ["second", "first"]
    assert route(acme.production, "SPEI", "MXN", 1_000) == []


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


def test_an_account_is_asked_for_the_amounts_of_its_place_only(acme: Shop) -> None:
    small, large, own = active("small"), active("large"), active("own", acme.production)
    routed(Place(small, None, 50_000), Place(large, 10_000, 90_000))

    asked = {amount: users(acme.production, amount) for amount in (1, 9_999, 10_000, 50_000, 50_001, 90_000, 90_001)}
    assert asked == {
        1: ["small"],
        9_999: ["small"],
        10_000: ["small", "large"],
        50_000: ["small", "large"],
        50_001: ["large"],
        90_000: ["large"],
        90_001: [],
    }
    routed(Place(own, 20_000, None), merchant=acme.production)
    assert users(acme.production, 10_000) == []  # everybody's order is replaced, for all amounts


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
