"""Due work on disputes that nobody answers: the announcement, the pack, and the alarm if it is not handed in."""

from accounts.base.rows import table
from accounts.due import Due
from gateway.evidence.models import AutomaticEvidence
from gateway.evidence.services import announce_or_hand_in, raise_alarm
from gateway.refunds.models import Refund, Status

_IS_AUTOMATIC = f"EXISTS (SELECT FROM {table(AutomaticEvidence)} a WHERE a.merchant_id = w.merchant_id)"
HAND_IN = Due(
    kind="refund.evidence",
    title="Evidence to hand in",
    model=Refund,
    column="evidence_due_at",
    statuses=(Status.AWAITING_RESPONSE,),
    condition=_IS_AUTOMATIC,
    run=announce_or_hand_in,
    holds=("payment",),
)
WATCH = Due(
    kind="refund.evidence_late",
    title="Evidence that was not handed in",
    model=Refund,
    column="evidence_alarm_at",
    condition=_IS_AUTOMATIC,
    run=raise_alarm,
    holds=("payment",),
)
DUE = (HAND_IN, WATCH)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Announces and hands in what is due, at most `limit`; returns how much."""
    return HAND_IN.sweep(limit, environment=environment)


def watch(limit: int = 100) -> int:
    """Tells of what was not handed in, at most `limit`; returns how much."""
    return WATCH.sweep(limit)
