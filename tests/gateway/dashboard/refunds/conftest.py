"""Payers of acme who want their money back."""

import pytest

from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from tests.support.companies import Shop
from tests.support.payments import a_payment


@pytest.fixture
def money(acme: Shop) -> None:
    """Enough for every refund."""
    a_payment(acme.sandbox, "PAID", "9000.00")


@pytest.fixture
def asked(acme: Shop) -> Refund:
    """A payer wants 150 reais back, which are blocked; 72 hours to answer."""
    payment = a_payment(acme.sandbox, "PAID")
    return refunds.dispute(
        acme.sandbox, payment.pk, reason_code="NOT_RECEIVED", statement="Nothing <b>arrived</b>.\nNothing."
    )
