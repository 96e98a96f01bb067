"""A pretended Adyen that listens, with the accounts of acme and globex."""

from collections.abc import Iterator

import pytest

from gateway.providers.models import ProviderAccount
from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.companies import Shop
from tests.support.settlements import an_account


@pytest.fixture
def acquirer() -> Iterator[Acquirer]:
    with open_acquirer() as acquirer:
        yield acquirer


@pytest.fixture
def account(acme: Shop, globex: Shop, acquirer: Acquirer) -> ProviderAccount:
    return an_account(acme, globex, acquirer=acquirer)
