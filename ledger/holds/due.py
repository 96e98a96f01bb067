"""Due work on holds: a rolling reserve is released at its end."""

from datetime import datetime

from accounts.due import Due
from ledger.holds import reserves
from ledger.holds.models import Hold, Reason


def _release(hold: Hold, at: datetime) -> None:
    reserves.release(hold, at)


RELEASE = Due(
    kind="reserve.released",
    title="Rolling reserves to release",
    model=Hold,
    column="expected_release_at",
    statuses=(Reason.ROLLING_RESERVE,),
    status_column="reason",
    condition="w.ended_at IS NULL",
    run=_release,
)
DUE = (RELEASE,)


def run_due(limit: int = 500, environment: str | None = None) -> int:
    """Releases the reserves that are due; returns how many."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)
