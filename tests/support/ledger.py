"""Movements of money in the books."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from accounts.base.clock import utcnow
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from ledger.verify import Violation
from tests.support.companies import Shop
from tests.support.receivables import tamper

MANY = """
    WITH many AS (
        INSERT INTO ledger_transfer (merchant_id, kind, reference, entry_count, posted_at, created_at)
        SELECT %(merchant)s, 'payment.paid', 'many_' || n, 3, now() - n * interval '1 second', now()
          FROM generate_series(1, %(count)s) n RETURNING id, merchant_id
    ), numbered AS (SELECT id, merchant_id, row_number() OVER (ORDER BY id) AS n FROM many)
    INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
    SELECT m.id, row_number() OVER (PARTITION BY m.id ORDER BY a.id), m.merchant_id, a.id, a.currency,
           CASE a.kind WHEN 'CLEARING' THEN -100 WHEN 'AVAILABLE' THEN 99 ELSE 1 END, 99 * n, n + 1
      FROM numbered m JOIN ledger_account a ON a.merchant_id = m.merchant_id
"""
# A cent more for one payment and a cent less for another of the same day, with all that is derived from it.
A_ROUND_MS = 60_000
"""Enough for all that comes next in a round of proofs, on a busy machine too."""
PAIR = """
    CREATE TEMP TABLE pair ON COMMIT DROP AS
    SELECT t.id, t.reference, CASE WHEN row_number() OVER (ORDER BY t.id) = 1 THEN 1 ELSE -1 END AS cent
      FROM ledger_transfer t WHERE kind = 'payment.paid' ORDER BY t.id LIMIT 2;
    UPDATE ledger_entry e SET amount = e.amount + sign(e.amount) * cent FROM pair, ledger_account a
     WHERE e.transfer_id = pair.id AND a.id = e.account_id AND a.kind <> 'FEE_INCOME';
    UPDATE gateway_payment p SET amount = p.amount + cent FROM pair WHERE p.id = pair.reference;
    UPDATE ledger_entry e SET balance_after = running.sum FROM (
        SELECT id, sum(amount) OVER (PARTITION BY account_id ORDER BY sequence) FROM ledger_entry) running
     WHERE running.id = e.id
"""


@contextmanager
def a_cent_too_much() -> Iterator[None]:
    """In what is still to be released."""
    more = "UPDATE ledger_receivable SET amount = amount {0} 1, gross_amount = gross_amount {0} 1"
    tamper(more.format("+"))
    try:
        yield
    finally:
        tamper(more.format("-"))


@contextmanager
def bent(*statements: str) -> Iterator[None]:
    """As a superuser bends it; undone afterwards."""
    with transaction.atomic():
        tamper("SET CONSTRAINTS ALL IMMEDIATE")
        tamper("SET LOCAL session_replication_role = replica")
        for statement in statements:
            tamper(statement)
        yield
        transaction.set_rollback(True)


def numbers(violations: list[Violation]) -> set[str]:
    return {violation.invariant.number for violation in violations}


def deposit(shop: Shop, reference: str = "") -> None:
    """Five reais that no payment brought."""
    move = Move(500, debit=Side(AccountKind.CLEARING, "PIX", "BRL"), credit=wallet(AccountKind.AVAILABLE, "BRL"))
    post(shop.sandbox, "put.right", reference or shop.company.id, [move], utcnow())
