"""Movements of money in the books."""

from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def a_cent_too_much() -> Iterator[None]:
    """In what is still to be released."""
    more = "UPDATE ledger_receivable SET amount = amount {0} 1, gross_amount = gross_amount {0} 1"
    tamper(more.format("+"))
    try:
        yield
    finally:
        tamper(more.format("-"))
