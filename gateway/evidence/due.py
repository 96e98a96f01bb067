"""Due work on disputes that nobody answers: the announcement, and the pack."""

from accounts.base.rows import table
from accounts.due import Due
from gateway.evidence.models import AutomaticEvidence
from gateway.evidence.services import announce_or_hand_in
from gateway.refunds.models import Refund, Status

HAND_IN = Due(
    kind="refund.evidence",
    title="Evidence to hand in",
    model=Refund,
    column="evidence_due_at",
    statuses=(Status.AWAITING_RESPONSE,),
    condition=f"EXISTS (SELECT FROM {table(AutomaticEvidence)} a WHERE a.merchant_id = w.merchant_id)",
    run=announce_or_hand_in,
    holds=("payment",),
)
DUE = (HAND_IN,)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Announces and hands in what is due, at most `limit`; returns how much."""
    return HAND_IN.sweep(limit, environment=environment)
