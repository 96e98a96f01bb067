"""Amounts that staff type: as their pages write them, and never with two readings."""

from typing import Any

import pytest
from django.test import Client

from ledger.models import Hold
from tests.support.companies import Shop
from tests.support.payments import a_payment

pytestmark = pytest.mark.django_db


def held(staff: Client, acme: Shop, amount: str) -> Any:
    """What the admin answers to a hold of this amount."""
    a_payment(acme.sandbox, "PAID", "9000")
    times = {"expected_release_at_0": "", "expected_release_at_1": ""}
    reason = {"reason": "LEGAL_ORDER", "note": "Order 1/26", "case_number": "1/26"}
    return staff.post(
        "/admin/ledger/hold/add/", {"merchant": acme.sandbox.pk, "currency": "BRL", "amount": amount} | reason | times
    )


@pytest.mark.parametrize(("typed", "minor"), [("1,234.50", 123450), ("1,234.50 BRL", 123450), ("10.00", 1000)])
def test_staff_may_write_amounts_as_their_pages_do(staff: Client, acme: Shop, typed: str, minor: int) -> None:
    assert held(staff, acme, typed).status_code == 302

    assert Hold.objects.get().amount == minor


@pytest.mark.parametrize("typed", ["10.000", "10,000"])
def test_staff_are_told_both_readings_and_nothing_is_held(staff: Client, acme: Shop, typed: str) -> None:
    answer = held(staff, acme, typed)

    assert f"{typed} is ambiguous: it could mean 10,000.00 or 10.00. Write 10000 or 10.00." in answer.content.decode()
    assert not Hold.objects.exists()


def test_staff_are_told_what_is_no_amount(staff: Client, acme: Shop) -> None:
    assert "Enter a number." in held(staff, acme, "1e3").content.decode()
    assert not Hold.objects.exists()
