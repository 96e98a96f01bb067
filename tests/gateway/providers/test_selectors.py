"""Which accounts are asked, in which order; and that a sandbox reaches none."""

from typing import Any

import pytest

from accounts.models import Merchant, User
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import SandboxReachesOut
from gateway.providers.models import ProviderAccount, ProviderRoute
from gateway.providers.selectors import rail_of, route
from tests.support.companies import Shop
from tests.support.people import a_person
from tests.support.scripted_provider import MODULE, ScriptedProvider


@pytest.fixture(autouse=True)
def scripted(settings: Any) -> None:
    settings.PROVIDER_MODULES = [MODULE]


@pytest.fixture
def people(db: None) -> tuple[User, User]:
    return a_person("enters@onpay.example"), a_person("confirms@onpay.example")


def an_account(people: tuple[User, User], user: str, merchant: Merchant | None = None, **facts: str) -> ProviderAccount:
    entered = sealed_of(ScriptedProvider, {"user": user, "password": "secret"})
    account = ProviderAccount(provider="scripted", title=user, merchant=merchant, system="PRODUCTION", status="ACTIVE")
    account.sealed_credentials, account.shown = entered.sealed, entered.shown
    account.entered_by, account.confirmed_by = people
    for name, value in facts.items():
        setattr(account, name, value)
    account.save()
    return account


def routed(merchant: Merchant | None, *accounts: ProviderAccount) -> None:
    for position, account in enumerate(accounts):
        ProviderRoute.objects.create(
            merchant=merchant, method="PIX", currency="BRL", position=position, account=account
        )


def users(merchant: Merchant) -> list[str]:
    return [account.title for account in route(merchant, "PIX", "BRL")]


def test_the_companys_own_order_comes_before_everybodys(acme: Shop, globex: Shop, people: tuple[User, User]) -> None:
    first, second, own = (
        an_account(people, "first"),
        an_account(people, "second"),
        an_account(people, "own", acme.production),
    )
    routed(None, second, first)
    routed(acme.production, own, first)

    assert users(acme.production) == ["own", "first"]
    assert users(globex.production) == ["second", "first"]
    assert route(acme.production, "SPEI", "MXN") == []


def test_only_active_accounts_of_production_systems_that_the_company_may_use_are_asked(
    acme: Shop, globex: Shop, people: tuple[User, User]
) -> None:
    routed(
        None,
        an_account(people, "paused", status="PAUSED"),
        an_account(people, "closed", status="CLOSED"),
        an_account(people, "test", system="TEST"),
        an_account(people, "unknown", provider="gone"),
        an_account(people, "theirs", globex.production),
        an_account(people, "usable"),
    )
    assert users(acme.production) == ["usable"]


def test_a_sandbox_has_no_accounts_and_opens_none(acme: Shop, globex: Shop, people: tuple[User, User]) -> None:
    account, theirs = an_account(people, "of all"), an_account(people, "theirs", globex.production)
    routed(None, account)
    routed(acme.sandbox, account)

    assert users(acme.sandbox) == []
    for opens, merchant in ((account, acme.sandbox), (theirs, acme.production), (theirs, acme.sandbox)):
        with pytest.raises(SandboxReachesOut):
            rail_of(opens, "PIX", "BRL", of=merchant)
    assert rail_of(account, "PIX", "BRL", of=acme.production).method == "PIX"
