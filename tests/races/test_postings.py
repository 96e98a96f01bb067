"""Postings into one wallet at the same moment."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction

from accounts.base.clock import utcnow
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from tests.support.books import violations
from tests.support.companies import Shop

CLEARING = Side(AccountKind.CLEARING, "PIX", "BRL")
AVAILABLE, FEES = wallet(AccountKind.AVAILABLE, "BRL"), Side(AccountKind.FEE_INCOME, "", "BRL")

WAITS = """
    SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
                    WHERE datname = current_database() AND NOT granted)
"""


def wait_until_another_waits() -> None:
    with connection.cursor() as cursor:
        for _ in range(500):
            cursor.execute(WAITS)
            if cursor.fetchone() == (True,):
                return
            time.sleep(0.01)
    raise AssertionError("nobody waits for a lock")


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
            wait_until_another_waits()
            charged("first", 50)
        second.result(timeout=10)

    assert violations() == []
