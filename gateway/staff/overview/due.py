"""Overdue work, and heartbeats of the processes that do it."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Model
from django_celery_beat.models import PeriodicTask

from accounts.base.clock import utcnow
from accounts.heartbeats import MAX_AGE
from accounts.models import Email, Heartbeat
from gateway.payments.models import Payment
from gateway.refunds.models import Refund
from gateway.staff.kit.columns import address, anchor
from gateway.staff.overview.panels import BAD, GOOD, WATCH, Panel, Table, ago, instant, rows_of
from gateway.withdrawals.models import Withdrawal
from ledger.models import Receivable
from webhooks.models import Delivery

COUNTED = 1000
EVER = datetime.min.replace(tzinfo=UTC)
LATE, VERY_LATE = timedelta(minutes=1), timedelta(minutes=10)
WORKER, DISPATCHER = PARTS = ("worker", "dispatcher")
NOTED_EVERY = timedelta(minutes=5)
"""The maximum delay with which beat stores the start of a task."""


class Work(NamedTuple):
    """Scheduled rows: `due` is an SQL expression, `waiting` the condition; both are indexed."""

    title: str
    model: type[Model]
    due: str
    waiting: str


# By the real time: what is due by a sandbox clock that is ahead of it is done by the same tasks.
WORKS = (
    Work(
        "Webhooks to deliver",
        Delivery,
        "next_attempt_at",
        """status = 'PENDING' AND (leased_until IS NULL OR leased_until < %(now)s) AND endpoint_id IN (
               SELECT id FROM webhooks_endpoint WHERE status = 'ACTIVE' AND coalesce(open_until < %(now)s, true))""",
    ),
    Work("Payments to ask about", Payment, "ask_at", "ask_at IS NOT NULL"),
    Work("Payments to expire", Payment, "expires_at", "status IN ('PENDING', 'ACTION_REQUIRED', 'AUTHORIZED')"),
    Work("Refunds to ask about", Refund, "ask_at", "ask_at IS NOT NULL AND status = 'PROCESSING'"),
    Work("Refunds whose time to answer is over", Refund, "response_due_at", "status = 'AWAITING_RESPONSE'"),
    Work("Withdrawals without an answer", Withdrawal, "ask_at", "ask_at IS NOT NULL"),
    Work("E-mails to send", Email, "next_attempt_at", "status = 'PENDING'"),
    Work("Receivables to release", Receivable, "release_at", "state = 'SCHEDULED'"),
)


def panel() -> Panel:
    """Due work, with the age of the oldest of each kind."""
    now = utcnow()
    found = [(work, count, oldest) for work, (count, oldest) in zip(WORKS, _waiting(now), strict=True) if oldest]
    table = Table(["What", "Due", "Oldest since", "Late by"], [_row(*one, now) for one in found])
    label, state = _judged(max((now - oldest for _, _, oldest in found), default=timedelta(0)))
    return Panel("Due work", (table,) if found else (), label, state, note="" if found else "Everything is done.")


def _row(work: Work, count: int, oldest: datetime, now: datetime) -> list[Any]:
    counted = f"{COUNTED:,} or more" if count == COUNTED else f"{count:,}"
    where = anchor(address(work.model, "changelist"), work.title)
    return [where, counted, instant(oldest), ago((now - oldest).total_seconds())]


def _judged(late: timedelta) -> tuple[str, str]:
    if late < LATE:
        return "Nothing is late", GOOD
    return f"{ago(late.total_seconds())} late", BAD if late >= VERY_LATE else WATCH


def _waiting(now: datetime) -> list[tuple[int, datetime | None]]:
    """The number of due rows of each kind, and the oldest time."""
    counted = (
        f"""SELECT {n}, count(*), min(due) FROM (
                SELECT {work.due} AS due FROM {work.model._meta.db_table}
                 WHERE {work.waiting} AND {work.due} <= %(now)s ORDER BY {work.due} LIMIT {COUNTED}) found"""
        for n, work in enumerate(WORKS)
    )
    found = rows_of(" UNION ALL ".join(counted), {"now": now})
    return [(count, oldest) for _, count, oldest in sorted(found, key=lambda row: row[0])]


def parts() -> Panel:
    """Processes without HTTP, and scheduled tasks that were not started in time.

    If no dispatcher was ever started none is missed: the worker delivers, as it does while one is down.
    """
    now = utcnow()
    beats = dict(Heartbeat.objects.values_list("part", "beat_at"))
    rows = [_part(part, beats.get(part), now) for part in PARTS]
    dead = [part for part in PARTS if now - beats.get(part, now if part == DISPATCHER else EVER) > MAX_AGE]
    late = list(_late_tasks(now))
    label = f"{' and '.join(dead)} silent" if dead else "Tasks late" if late else "Alive"
    return Panel(
        "Parts of the service",
        (Table(["Part", "Last sign of life", "Ago"], [*rows, *late]),),
        label.capitalize(),
        BAD if WORKER in dead else WATCH if dead or late else GOOD,
        leads=("The whole timetable", address(PeriodicTask, "changelist")),
    )


def _part(part: str, beat_at: datetime | None, now: datetime) -> list[Any]:
    return [part, instant(beat_at), ago((now - beat_at).total_seconds()) if beat_at else "never"]


def _late_tasks(now: datetime) -> Iterable[list[Any]]:
    tasks = PeriodicTask.objects.filter(enabled=True, interval__isnull=False).select_related("interval")
    for task in tasks.order_by("name"):
        every = task.interval.schedule.run_every
        if task.last_run_at and now - task.last_run_at > 2 * every + NOTED_EVERY:
            where = anchor(address(PeriodicTask, "change", task.pk), task.name)
            yield [where, instant(task.last_run_at), ago((now - task.last_run_at).total_seconds())]
