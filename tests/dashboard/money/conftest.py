"""Money of acme, to be seen on the pages about it."""

from datetime import timedelta

import pytest

from accounts.base import clock
from gateway.refunds import services as refunds
from ledger.holds import services as holds
from tests.support.api import Api
from tests.support.cards import a_card
from tests.support.companies import Shop
from tests.support.conversions import converted
from tests.support.payments import a_payment
from tests.support.withdrawals import PIX, decide, price, register, wait, withdrawn


@pytest.fixture
def funded(acme: Shop) -> Shop:
    """acme with 9900.99 reais, of which each withdrawal over PIX costs one."""
    price(PIX, fee_fixed=100)
    a_payment(acme.sandbox, "PAID", "10000.00")
    return acme


@pytest.fixture
def busy(acme: Shop, api: Api, address: str) -> Shop:
    """acme after some of everything, in two wallets."""
    register(acme, address)
    for amount in ("10000.00", "150.00"):
        a_payment(acme.sandbox, "PAID", amount)
    a_card(api, 200.00)
    a_card(api, 100.00, "DEBIT_CARD")
    wait(api, 2 * 86400)
    acme.sandbox.refresh_from_db()
    decide(api, withdrawn(api, acme, amount=904), "FAILED")
    withdrawn(api, acme, amount=1904)
    converted(api, acme)
    payment = a_payment(acme.sandbox, "PAID", "70.00")
    refunds.dispute(acme.sandbox, payment.pk, reason_code="NOT_RECEIVED")
    holds.place(
        acme.sandbox, "BRL", 1234, "COMPLIANCE", expected_release_at=clock.now(acme.sandbox) + timedelta(days=3)
    )
    return acme
