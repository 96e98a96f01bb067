"""Invariants between withdrawals, holds and the books."""

from accounts.base.rows import table
from gateway.withdrawals.approvals.models import Approval, Decision
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from ledger.books.models import Transfer
from ledger.holds.models import Hold
from ledger.verify import invariant

invariant(
    "I20",
    "a withdrawal is blocked while it is processed, with its amount and fee, and not a moment longer",
    over={
        Withdrawal: f"""
    SELECT w.id, w.status, w.amount + w.fee AS due, h.amount FROM part w
      LEFT JOIN (SELECT withdrawal_id, sum(amount) AS amount FROM {table(Hold)} WHERE ended_at IS NULL GROUP BY 1) h
        ON h.withdrawal_id = w.id
     WHERE coalesce(h.amount, 0) <> CASE WHEN w.status = '{Status.PROCESSING}' THEN w.amount + w.fee ELSE 0 END
    """
    },
)
invariant(
    "I21",
    "a withdrawal was posted as often as its status says: completed or failed, never both, and returned only once paid",
    over={
        Withdrawal: f"""
    SELECT w.id, w.status, t.kinds FROM part w
     CROSS JOIN LATERAL (SELECT array_agg(kind::text ORDER BY kind) AS kinds FROM {table(Transfer)}
                          WHERE reference = w.id COLLATE "default" AND merchant_id = w.merchant_id
                            AND kind LIKE 'withdrawal.%') t
     WHERE t.kinds IS DISTINCT FROM CASE w.status
           WHEN '{Status.PROCESSING}' THEN ARRAY['withdrawal.held']
           WHEN '{Status.COMPLETED}' THEN ARRAY['withdrawal.completed', 'withdrawal.held']
           WHEN '{Status.FAILED}' THEN ARRAY['withdrawal.failed', 'withdrawal.held']
           ELSE ARRAY['withdrawal.completed', 'withdrawal.held', 'withdrawal.returned'] END
    """
    },
)
invariant(
    "I32",
    "an approved withdrawal was approved as it stands by as many people as it requires, none of whom asked for it",
    over={
        Withdrawal: f"""
    SELECT w.id, w.approvals_required, w.approvals_given FROM part w
     WHERE w.approval = '{ApprovalState.APPROVED}' AND w.approvals_required > (
       SELECT count(*) FROM {table(Approval)} a
        WHERE a.withdrawal_id = w.id AND a.decision = '{Decision.APPROVE}' AND a.digest = w.approval_digest
          AND NOT a.identities && w.asked_by
          AND NOT EXISTS (SELECT FROM {table(Approval)} b
                           WHERE b.withdrawal_id = w.id AND b.decision = a.decision AND b.id < a.id
                             AND b.identities && a.identities))
    """
    },
)
