"""Due work on batches: dropping files in folders of banks, and applying what banks answer."""

from typing import Any

from accounts.due import Due
from gateway.payout_batches.answers import take
from gateway.payout_batches.drops import begin
from gateway.payout_batches.models import BatchAnswer, PayoutBatch

DROP = Due(
    kind="payout_batch.dropped",
    title="Payment files to drop",
    model=PayoutBatch,
    column="drop_at",
    statuses=(PayoutBatch.State.RELEASED, PayoutBatch.State.DROPPING),
    status_column="state",
    condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",
    run=begin,
)
APPLY = Due(
    kind="payout_batch.answered", title="Answers to orders to apply", model=BatchAnswer, column="due_at", run=take
)
DUE: tuple[Due[Any], ...] = (DROP, APPLY)


def run_due(limit: int = 100) -> int:
    """Drops and applies what waits; returns how many."""
    return sum(due.sweep(limit) for due in DUE)
