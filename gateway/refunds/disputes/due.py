"""Due work on disputes: answers to hand on, and what did not fit."""

from accounts.due import Due
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.disputes.questions import look

LOOK = Due(
    kind="dispute.looked_at",
    title="Disputes to answer at their acquirers",
    model=Dispute,
    column="ask_at",
    condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",
    run=look,
)
DUE = (LOOK,)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Looks at what is due, at most `limit`; returns at how many."""
    return LOOK.sweep(limit, environment=environment)
