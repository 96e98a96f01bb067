"""Accounts at the scripted provider, as two people of the staff set them up."""

from collections.abc import Collection
from typing import Any

import pytest

from accounts.audit import Actor
from accounts.models import Merchant, User
from gateway.methods.models import MethodRule
from gateway.payouts.models import PayoutRule
from gateway.providers import accounts, routes
from gateway.providers.models import Flow, ProviderAccount
from gateway.providers.routes import Place, RouteKey
from tests.support.people import a_person
from tests.support.scripted_provider import ScriptedProvider

PASSWORD = "the bank's own password"
NOTE = "The contract is signed"


def enters() -> User:
    return _person("enters@onpay.example")


def confirms() -> User:
    return _person("confirms@onpay.example")


def _person(email: str) -> User:
    return User.objects.filter(email=email).first() or a_person(email, is_staff=True)


def entered(
    user: str = "bank", merchant: Merchant | None = None, system: str = "PRODUCTION", **more: str
) -> ProviderAccount:
    """Entered by one person: nothing is checked or confirmed."""
    new = accounts.NewAccount(ScriptedProvider.name, user, system, merchant)
    return accounts.enter(Actor(enters()), new, {"user": user, "password": PASSWORD} | more, NOTE)


def active(
    user: str = "bank", merchant: Merchant | None = None, system: str = "PRODUCTION", **more: str
) -> ProviderAccount:
    """Checked, and confirmed by a second person."""
    account = accounts.check(Actor(enters()), entered(user, merchant, system, **more))
    accounts.activate(Actor(confirms()), account, NOTE)
    return account


def connected(provider: str, credentials: dict[str, Any], *methods: str, currency: str = "BRL") -> ProviderAccount:
    """An account of everybody at an institution, which is asked for these methods."""
    new = accounts.NewAccount(provider, provider.title(), "PRODUCTION", None)
    account = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, credentials, NOTE))
    accounts.activate(Actor(confirms()), account, NOTE)
    for method in methods:
        MethodRule.objects.filter(environment="PRODUCTION", method=method, currency=currency).update(enabled=True)
        routed(account, method=method, currency=currency)
    return account


def routed(
    *accounts: ProviderAccount | Place, merchant: Merchant | None = None, method: str = "PIX", currency: str = "BRL"
) -> None:
    """Sets the route of everybody, or of one company."""
    places = [one if isinstance(one, Place) else Place(one) for one in accounts]
    routes.set_route(Actor(confirms()), RouteKey(method, currency, merchant), places, NOTE)


def paid_out_by(
    *accounts: ProviderAccount | Place, merchant: Merchant | None = None, rail: str = "PIX", currency: str = "BRL"
) -> None:
    """Withdrawals over the rail are paid by these accounts in production, where the rail is enabled now."""
    PayoutRule.objects.filter(environment="PRODUCTION", rail=rail, currency=currency).update(enabled=True)
    places = [one if isinstance(one, Place) else Place(one) for one in accounts]
    routes.set_route(Actor(confirms()), RouteKey(rail, currency, merchant, Flow.OUT), places, NOTE)


def timeout_of(request: pytest.FixtureRequest, waited_for: Collection[str]) -> int:
    """Seconds that a provider has to answer: few where the test waits for all of them, else more than a busy machine
    needs.
    """
    parameters = getattr(request.node, "callspec", None)
    return 1 if parameters is not None and parameters.params.get("failure") in waited_for else 10
