"""Overdue work, and heartbeats of the processes that do it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.utils.text import capfirst, get_text_list
from django.utils.translation import gettext as _
from django_celery_beat.models import PeriodicTask

from accounts.base.clock import utcnow
from accounts.due import Due, Stuck, Work
from accounts.heartbeats import MAX_AGE, Last, last
from accounts.models import StuckWork
from gateway.overview.late import COUNTED, late_tasks, waiting
from gateway.pausing import Pause, pauses
from gateway.staff.kit.columns import address, anchor
from gateway.staff.kit.names import translated
from gateway.staff.overview.panels import BAD, GOOD, NONE, WATCH, Panel, PanelTable, ago, instant
from gateway.sweeps import ALL, WITHOUT_A_TIME

SHOWN = 20
TITLES = {work.title: translated(work.title) for work in (*ALL, *WITHOUT_A_TIME)}
LATE, VERY_LATE = timedelta(minutes=1), timedelta(minutes=10)
WORKER, SANDBOX, MESSAGES, BACKGROUND, DISPATCHER = PARTS = (
    "worker", "sandbox", "messages", "background", "dispatcher",
)  # fmt: skip
OPTIONAL = (SANDBOX, DISPATCHER)


def panel() -> Panel:
    """Due work with the age of the oldest of each kind, and stuck work.

    By the real time: what is due by a sandbox clock that is ahead of it is done by the same sweeps.
    """
    now = utcnow()
    found = list(waiting(now))
    late = PanelTable([_("Task"), _("Due"), _("Oldest"), _("Late by")], [_row(*one, now) for one in found])
    raised = set(StuckWork.objects.values_list("kind", flat=True).distinct())
    dues = [due for due in (*ALL, *WITHOUT_A_TIME) if isinstance(due, Due) and due.kind in raised]
    stuck = [_stuck(due, one) for due in dues for one in due.stuck(SHOWN)]
    headers = [_("Task"), _("Id"), _("Since"), _("Attempts"), _("Next attempt"), _("Last error")]
    named = PanelTable(headers, stuck[:SHOWN], title=_("Stuck"))
    label, state = _judged(max((now - oldest for _, _, oldest in found), default=timedelta(0)))
    if stuck and state == GOOD:
        label, state = _("%(n)s stuck") % {"n": len(stuck)}, WATCH
    tables = tuple(table for table in (late, named) if table.rows)
    return Panel(_("Due work"), tables, label, state, note="" if tables else _("Nothing is due."))


def _stuck(due: Due[Any], one: Stuck) -> list[Any]:
    has_page = admin.site.is_registered(due.model)
    where = anchor(address(due.model, "change", one.object_id), one.object_id) if has_page else one.object_id
    again = anchor(address(StuckWork, "change", one.id), instant(one.until))
    return [TITLES[due.title], where, instant(one.since), f"{one.times} ×", again, one.error]


def _row(work: Work[Any], count: int, oldest: datetime, now: datetime) -> list[Any]:
    counted = _("%(n)s or more") % {"n": f"{COUNTED:,}"} if count == COUNTED else f"{count:,}"
    has_page = admin.site.is_registered(work.model)
    where = anchor(address(work.model, "changelist"), TITLES[work.title]) if has_page else TITLES[work.title]
    return [where, counted, instant(oldest), ago((now - oldest).total_seconds())]


def _judged(late: timedelta) -> tuple[str, str]:
    if late < LATE:
        return _("Nothing is late"), GOOD
    return _("%(time)s late") % {"time": ago(late.total_seconds())}, BAD if late >= VERY_LATE else WATCH


def parts() -> Panel:
    """Processes without HTTP, and scheduled tasks that were not started in time.

    If no dispatcher was ever started none is missed: the worker delivers, as it does while one is down. Nor is a worker
    of the sandbox, which an installation may do without. A part that serves certain cells somewhere is needed in each.
    """
    now = utcnow()
    found = last()
    never = [Last(part, "", None) for part in PARTS if part not in {one.part for one in found}]
    beats = sorted((one for one in (*found, *never) if one.part in PARTS), key=lambda one: PARTS.index(one.part))
    rows = [_part(one, now) for one in beats]
    dead = [one for one in beats if _is_dead(one, now)]
    late = list(_late(now))
    paused = [_paused(one) for one in pauses()]
    held = PanelTable([_("Task"), _("Since"), _("By"), _("Why")], paused, title=_("Paused by staff"))
    return Panel(
        _("Service health"),
        (PanelTable([_("Process"), _("Last heartbeat"), _("Age")], [*rows, *late]), *([held] if paused else [])),
        _health([_named(one) for one in dead], len(paused), bool(late)),
        BAD if WORKER in {one.part for one in dead} or paused else WATCH if dead or late else GOOD,
        leads=(_("Full schedule"), address(PeriodicTask, "changelist")),
    )


def _health(dead: list[str], paused: int, is_late: bool) -> str:
    if dead:
        told: str = _("%(processes)s not responding") % {"processes": get_text_list(dead, _("and"))}
        return capfirst(told)
    if paused:
        return _("%(n)s paused") % {"n": paused}
    return _("Tasks late") if is_late else _("Healthy")


def _is_dead(one: Last, now: datetime) -> bool:
    if one.beat_at is None:
        return bool(one.cell) or one.part not in OPTIONAL
    return now - one.beat_at > MAX_AGE


def _named(one: Last) -> str:
    return f"{one.part} ({one.cell})" if one.cell else one.part


def _part(one: Last, now: datetime) -> list[Any]:
    return [_named(one), instant(one.beat_at), ago((now - one.beat_at).total_seconds()) if one.beat_at else _("Never")]


def _paused(one: Pause) -> list[Any]:
    where = anchor(address(PeriodicTask, "change", one.task.pk), one.task.name)
    return [where, instant(one.since), one.by or NONE, one.note or NONE]


def _late(now: datetime) -> Iterable[list[Any]]:
    for task, last_run_at in late_tasks(now):
        where = anchor(address(PeriodicTask, "change", task.pk), task.name)
        yield [where, instant(last_run_at), ago((now - last_run_at).total_seconds())]
