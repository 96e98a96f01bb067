"""Blocks by decision of staff: what is blocked, and that it comes back once."""

from datetime import timedelta

import pytest
from django.db import transaction

from accounts.base.clock import utcnow
from accounts.models import User
from ledger.books.errors import InsufficientBalance
from ledger.holds import services as holds
from ledger.holds.errors import HoldEnded, HoldUnexplained
from ledger.holds.models import Hold
from ledger.models import Transfer
from ledger.verify import verify
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receivables import book, tamper

PAID = {"AVAILABLE BRL": 14_850, "CLEARING BRL": -15_000, "FEE_INCOME BRL": 150}


def test_a_block_takes_from_what_is_available_and_lifting_gives_it_back(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    person = User.objects.create_user("ana@onpay.example", "a long password")
    ends = utcnow() + timedelta(days=30)

    hold = holds.place(
        acme.sandbox,
        "BRL",
        5_000,
        "LEGAL_ORDER",
        by=person,
        note="By letter",
        case_number="1/26",
        expected_release_at=ends,
    )

    assert book(acme.sandbox) == PAID | {"AVAILABLE BRL": 9_850, "BLOCKED BRL": 5_000}
    assert Hold.objects.values(
        "reason", "amount", "placed_by", "note", "case_number", "expected_release_at", "ended_at"
    ).get() == {
        "reason": "LEGAL_ORDER",
        "amount": 5_000,
        "placed_by": person.pk,
        "note": "By letter",
        "case_number": "1/26",
        "expected_release_at": ends,
        "ended_at": None,
    }
    lifted = holds.lift(hold.id)
    assert book(acme.sandbox) == PAID
    moved = Transfer.objects.filter(reference=hold.id).order_by("pk").values_list("kind", "posted_at")
    assert [*moved] == [("hold.placed", hold.created_at), ("hold.lifted", lifted.ended_at)]


def test_everything_that_is_available_can_be_blocked_and_not_a_cent_more(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    with pytest.raises(InsufficientBalance), transaction.atomic():
        holds.place(acme.sandbox, "BRL", 14_851, "COMPLIANCE", note="An invoice is missing")
    with pytest.raises(InsufficientBalance), transaction.atomic():
        holds.place(acme.sandbox, "EUR", 1, "COMPLIANCE", note="An invoice is missing")
    assert (book(acme.sandbox), Hold.objects.count(), Transfer.objects.count()) == (PAID, 0, 1)

    holds.place(acme.sandbox, "BRL", 14_850, "COMPLIANCE", note="An invoice is missing")

    assert "AVAILABLE BRL" not in book(acme.sandbox)


def test_a_block_is_of_one_merchant(acme: Shop, globex: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    with pytest.raises(InsufficientBalance), transaction.atomic():
        holds.place(globex.sandbox, "BRL", 1, "COMPLIANCE", note="An invoice is missing")
    with pytest.raises(InsufficientBalance), transaction.atomic():
        holds.place(acme.production, "BRL", 1, "COMPLIANCE", note="An invoice is missing")
    assert (book(globex.sandbox), book(acme.production), book(acme.sandbox)) == ({}, {}, PAID)


def test_lifting_twice_is_refused_and_moves_nothing(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    hold = holds.place(acme.sandbox, "BRL", 5_000, "COMPLIANCE", note="An invoice is missing")
    ended_at = holds.lift(hold.id).ended_at

    with pytest.raises(HoldEnded), transaction.atomic():
        holds.lift(hold.id)

    hold.refresh_from_db()
    assert (hold.ended_at, book(acme.sandbox), Transfer.objects.count()) == (ended_at, PAID, 3)


@pytest.mark.parametrize(
    "tampering", ["amount = amount - 1", "currency = 'EUR'", "ended_at = now()", "merchant_id = {other}"]
)
def test_the_proof_fails_when_a_block_is_tampered_with(acme: Shop, tampering: str) -> None:
    a_payment(acme.sandbox, "PAID")
    holds.place(acme.sandbox, "BRL", 5_000, "COMPLIANCE", note="An invoice is missing")

    with transaction.atomic():
        tamper(f"UPDATE ledger_hold SET {tampering.format(other=acme.production.pk)}")
        found = {violation.invariant.number for violation in verify()}
        transaction.set_rollback(True)

    assert "I7" in found
    assert verify() == []


def test_a_hold_without_a_reason_or_an_order_without_its_case_moves_nothing(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    for reason, note, case, field in (
        ("COMPLIANCE", "    ", "", "note"),
        ("LEGAL_ORDER", "By letter", "  ", "case_number"),
    ):
        with pytest.raises(HoldUnexplained) as refused, transaction.atomic():
            holds.place(acme.sandbox, "BRL", 100, reason, note=note, case_number=case)
        assert refused.value.field == field
    assert (book(acme.sandbox), Hold.objects.count()) == (PAID, 0)
