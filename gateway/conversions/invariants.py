"""Invariants between conversions and the books."""

from accounts.base.rows import table
from gateway.conversions.models import Conversion
from ledger.books.models import Account, Entry, Transfer
from ledger.chart import AccountKind
from ledger.verify import invariant

_AVAILABLE = AccountKind.AVAILABLE

invariant(
    "I17",
    "a conversion gives what its rate says, rounded down, never more than the market, and was posted so",
    over={
        Conversion: f"""
    SELECT c.id, c.source_amount, c.destination_amount, c.applied_rate, t.source, t.destination, t.spread
      FROM part c
      LEFT JOIN LATERAL (
           SELECT -coalesce(sum(e.amount) FILTER (WHERE a.kind = '{_AVAILABLE}' AND e.amount < 0), 0) AS source,
                  coalesce(sum(e.amount) FILTER (WHERE a.kind = '{_AVAILABLE}' AND e.amount > 0), 0) AS destination,
                  coalesce(sum(e.amount) FILTER (WHERE a.kind = '{AccountKind.FX_SPREAD}'), 0) AS spread
             FROM {table(Transfer)} t JOIN {table(Entry)} e ON e.transfer_id = t.id
             JOIN {table(Account)} a ON a.id = e.account_id
            WHERE (t.merchant_id, t.kind, t.reference) =
                  (c.merchant_id, 'conversion.completed', c.id COLLATE "default") GROUP BY t.id) t ON true
     WHERE c.destination_amount IS DISTINCT FROM floor(c.source_amount * c.applied_rate)
        OR c.market_amount IS DISTINCT FROM floor(c.source_amount * c.market_rate)
        OR c.source_amount IS DISTINCT FROM t.source OR c.destination_amount IS DISTINCT FROM t.destination
        OR c.market_amount - c.destination_amount IS DISTINCT FROM t.spread
    """,
        Transfer: f"""
    SELECT t.reference, t.id FROM part t
      LEFT JOIN {table(Conversion)} c ON c.id = t.reference COLLATE "C" AND c.merchant_id = t.merchant_id
     WHERE t.kind = 'conversion.completed' AND c.id IS NULL
    """,
    },
)
