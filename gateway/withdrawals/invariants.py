"""Invariants between withdrawals, holds and the books."""

from accounts.base.rows import table
from gateway.withdrawals.models import Status, Withdrawal
from ledger.books.models import Transfer
from ledger.holds.models import Hold
from ledger.verify import invariant

invariant(
    "I20",
    "a withdrawal is blocked while it is processed, with its amount and fee, and not a moment longer",
    f"""
    SELECT w.id, w.status, w.amount + w.fee AS due, h.amount FROM {table(Withdrawal)} w
      LEFT JOIN (SELECT withdrawal_id, sum(amount) AS amount FROM {table(Hold)} WHERE ended_at IS NULL GROUP BY 1) h
        ON h.withdrawal_id = w.id
     WHERE coalesce(h.amount, 0) <> CASE WHEN w.status = '{Status.PROCESSING}' THEN w.amount + w.fee ELSE 0 END
    """,
)
invariant(
    "I21",
    "a withdrawal was posted as often as its status says: completed or failed, never both, and returned only once paid",
    f"""
    SELECT w.id, w.status, t.kinds FROM {table(Withdrawal)} w
      LEFT JOIN (SELECT merchant_id, reference, array_agg(kind::text ORDER BY kind) AS kinds FROM {table(Transfer)}
                  WHERE kind LIKE 'withdrawal.%' GROUP BY 1, 2) t
        ON t.reference = w.id AND t.merchant_id = w.merchant_id
     WHERE t.kinds IS DISTINCT FROM CASE w.status
           WHEN '{Status.PROCESSING}' THEN ARRAY['withdrawal.held']
           WHEN '{Status.COMPLETED}' THEN ARRAY['withdrawal.completed', 'withdrawal.held']
           WHEN '{Status.FAILED}' THEN ARRAY['withdrawal.failed', 'withdrawal.held']
           ELSE ARRAY['withdrawal.completed', 'withdrawal.held', 'withdrawal.returned'] END
    """,
)
