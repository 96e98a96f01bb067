"""Invariants between holds and the books."""

from accounts.base.rows import table
from ledger.books.models import Account, Balance
from ledger.chart import AccountKind
from ledger.holds.models import Hold
from ledger.verify import invariant

invariant(
    "I7",
    "BLOCKED of a wallet is the sum of its open holds",
    f"""
    SELECT coalesce(b.merchant_id, h.merchant_id), coalesce(b.currency, h.currency), b.amount, h.amount
      FROM (SELECT a.merchant_id, a.currency, b.amount FROM {table(Account)} a
              JOIN {table(Balance)} b ON b.account_id = a.id WHERE a.kind = '{AccountKind.BLOCKED}') b
      FULL JOIN (SELECT merchant_id, currency, sum(amount) AS amount FROM {table(Hold)}
                  WHERE ended_at IS NULL GROUP BY 1, 2) h
        ON (h.merchant_id, h.currency) = (b.merchant_id, b.currency)
     WHERE coalesce(b.amount, 0) <> coalesce(h.amount, 0)
    """,
)
