"""Due work on months: closing those that a company is sent, and making the files of those that are being closed."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from django.db.models import F, QuerySet

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.base.rows import first
from accounts.due import Due
from gateway.months import calendar, closing, selectors, services
from gateway.months.closing import NotProved
from gateway.months.errors import MonthState
from gateway.months.models import Month, MonthPlan

LOOKED_AGAIN_AFTER = timedelta(seconds=20)
LOCK = 0x6F6E7061795F6D6F
"""PostgreSQL advisory lock of the process that takes a month in hand, until its commit."""


def _close_last(plan: MonthPlan, due_at: datetime) -> None:
    """Closes the month that has ended, if there is something in it."""
    merchant = plan.merchant
    if selectors.readers(merchant):
        last = calendar.preceding(calendar.first_day(merchant, due_at))
        with suppress(MonthState):  # closed by somebody, or before the company's first posting
            services.close(merchant, last, by=None, at=max(due_at, clock.now(merchant)))
        plan.next_at = calendar.next_closing(merchant, max(due_at, clock.now(merchant)))
    else:
        plan.next_at = None
    plan.save(update_fields=["next_at"])


def _begin(month: Month, due_at: datetime) -> Callable[[], None] | None:
    """Takes the month in hand, unless another process was faster to take any: it asks once the other has committed."""
    first("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    if _is_in_hand():
        return None
    month.due_at, month.waits_for = clock.now(month.merchant) + closing.LEASE, ""
    month.save(update_fields=["due_at", "waits_for"])
    return partial(_make, month)


def _make(month: Month) -> None:
    """A slice of it: months of other companies that wait longer come before its next one."""
    try:
        if not closing.proceed(month):
            _open(month).update(due_at=clock.now(month.merchant))
    except NotProved as waiting:
        _open(month).update(waits_for=waiting.why, due_at=clock.now(month.merchant) + LOOKED_AGAIN_AFTER)


def _open(month: Month) -> QuerySet[Month]:
    return Month.objects.filter(pk=month.pk, state=Month.State.CLOSING)


CLOSE_LAST = Due(
    kind="month.closed",
    title="Months to close",
    model=MonthPlan,
    column="next_at",
    run=_close_last,
)
MAKE = Due(
    kind="month.sealed",
    title="Files of months to make",
    model=Month,
    column="due_at",
    statuses=(Month.State.CLOSING,),
    status_column="state",
    run=_begin,
)
DUE = (CLOSE_LAST,)
"""What the sandbox clock runs."""
IN_REAL_TIME = (MAKE,)
"""What it does not wait for."""


def run_due(limit: int = 10) -> int:
    """Closes what is due, then reads a slice of each month, or seals it; returns how much was done.

    One process at a time works on months: however large they are, the others do what else there is to do.
    """
    done = CLOSE_LAST.sweep(limit)
    return done if _is_in_hand() else done + MAKE.sweep(limit)


def _is_in_hand() -> bool:
    """Whether a month is being worked on."""
    until = utcnow() + F("merchant__clock_offset")
    return Month.objects.filter(state=Month.State.CLOSING, waits_for="", due_at__gt=until).exists()
