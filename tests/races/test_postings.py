"""Postings into one wallet at the same moment."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from accounts.base.clock import utcnow
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from tests.support.books import violations
from tests.support.companies import Shop
from tests.support.threads import wait_for_waiters

CLEARING = Side(AccountKind.CLEARING, "PIX", "BRL")
AVAILABLE, FEES = wallet(AccountKind.AVAILABLE, "BRL"), Side(AccountKind.FEE_INCOME, "", "BRL")


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_a_wallet_has_not_made_an_account_that_others_need(acme: Shop) -> None:
    """Both are to make the account of fees: one of them holds the wallet."""

    def received(reference: str, minor: int) -> None:
        post(acme.sandbox, "test.received", reference, [Move(minor, debit=CLEARING, credit=AVAILABLE)], utcnow())

    def charged(reference: str, minor: int) -> None:
        post(acme.sandbox, "test.charged", reference, [Move(minor, debit=AVAILABLE, credit=FEES)], utcnow())

    def another() -> None:
        try:
            with transaction.atomic():
                charged("second", 200)
        finally:
            connections.close_all()

    received("before", 1_000)
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            received("first", 500)
            second = threads.submit(another)
            wait_for_waiters()
            charged("first", 50)
        second.result(timeout=10)

    assert violations() == []
