"""An account at the pretended Adyen, as two people of the staff set it up."""

from typing import Any

from accounts.audit import Actor
from gateway.providers import accounts
from gateway.providers.models import ProviderAccount
from tests.support.adyen.acquirer import Acquirer
from tests.support.providers import NOTE, confirms, enters


def entered(acquirer: Acquirer, title: str = "Adyen", **other: Any) -> ProviderAccount:
    """The platform's account: entered by one person, checked, and confirmed by another."""
    new = accounts.NewAccount("adyen", title, "PRODUCTION", None)
    given = acquirer.credentials(**other)
    account = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, given, NOTE))
    accounts.activate(Actor(confirms()), account, NOTE)
    return account
