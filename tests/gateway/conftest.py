"""A company that may withdraw: its backend's address is registered, and it has money."""

import pytest

from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.withdrawals import register


@pytest.fixture
def funded(acme: Shop, address: str) -> Shop:
    """acme with 9900.99 reais, which it may withdraw from the address of the tests."""
    register(acme, address)
    a_payment(acme.sandbox, "PAID", "10000.00")
    return acme


@pytest.fixture
def out(funded: Shop, api: Api) -> Api:
    """The backend of acme, with money and a registered address."""
    return api
