"""Due work on bulk files: each line is one transaction, so that a crash leaves every line done or waiting."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.due import Due
from accounts.models import Merchant
from gateway.bulk.models import BulkFile, BulkLine, Kind, State
from gateway.bulk.orders import refund, withdraw

TRIES = 10
RETRIED_AFTER = timedelta(seconds=30)
_CARRIED_OUT_BY: dict[str, Callable[[Merchant, BulkLine], str]] = {
    Kind.WITHDRAWALS: withdraw,
    Kind.REFUNDS: refund,
}


def _carry_out(line: BulkLine, due_at: datetime) -> None:
    """Carries the line out; a refusal is its outcome, unless it can pass by itself."""
    now = clock.now(line.merchant)
    line.tries += 1
    kind = BulkFile.objects.values_list("kind", flat=True).get(pk=line.file_id)
    try:
        with transaction.atomic():
            line.result_id = _CARRIED_OUT_BY[kind](line.merchant, line)
    except Refusal as refusal:
        if refusal.retryable and line.tries < TRIES:
            line.due_at = max(now, due_at) + RETRIED_AFTER
            line.save(update_fields=["tries", "due_at"])
            return
        line.state, line.code, line.message = State.REFUSED, refusal.public_code, refusal.message[:255]
    else:
        line.state = State.DONE
    line.due_at, line.done_at = None, now
    line.save(update_fields=["tries", "due_at", "state", "code", "message", "result_id", "done_at"])


CARRY_OUT = Due(
    kind="bulk.line",
    title="Lines of bulk files",
    model=BulkLine,
    column="due_at",
    statuses=(State.WAITING,),
    status_column="state",
    run=_carry_out,
)
DUE = (CARRY_OUT,)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Carries out lines of confirmed files; returns how many."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)
