"""Due work on readiness checks, by real time: finishing those whose hour is over, or that have seen everything."""

from accounts.due import Due
from gateway.readiness.models import ReadinessCheck
from gateway.readiness.services import look

LOOK = Due(
    kind="readiness_check.finished",
    title="Readiness checks to finish",
    model=ReadinessCheck,
    column="look_at",
    condition="w.look_at <= %(now)s",  # not by the sandbox clock
    run=look,
)


def run_due(limit: int = 100) -> int:
    """Looks at the checks that run; returns how many."""
    return LOOK.sweep(limit)
