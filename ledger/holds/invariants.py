"""Invariants between holds and the books."""

from accounts.base.rows import table
from ledger.books.models import Account, Balance, Transfer
from ledger.chart import AccountKind
from ledger.holds.models import Hold, Reason
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
invariant(
    "I45",
    "a rolling reserve was posted once when it was held, and once more when it ended",
    over={
        Hold: f"""
    SELECT h.id, h.ended_at, t.kinds FROM part h
     CROSS JOIN LATERAL (SELECT array_agg(kind::text ORDER BY kind) AS kinds FROM {table(Transfer)}
                          WHERE reference = h.id COLLATE "default" AND merchant_id = h.merchant_id
                            AND kind LIKE 'reserve.%') t
     WHERE h.reason = '{Reason.ROLLING_RESERVE}' AND t.kinds IS DISTINCT FROM
           CASE WHEN h.ended_at IS NULL THEN ARRAY['reserve.held'] ELSE ARRAY['reserve.held', 'reserve.released'] END
    """
    },
)
