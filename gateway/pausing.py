"""Scheduled tasks that staff pause and resume. Beat skips a paused task; what it does becomes due and waits."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django_celery_beat.models import PeriodicTask

from accounts import audit
from accounts.audit import Actor
from accounts.models import AuditEntry

PAUSED, RESUMED = "task.paused", "task.resumed"
NEVER_PAUSED = (
    "heartbeat",
    "prove-books",
    "close-days",
    "sweep-receivables",
    "sweep-reserves",
    "watch-",
    "celery.",
)
"""Parts of names: without these tasks nobody would see that something is wrong, or companies would lack their money."""


UNPAUSABLE = _(
    "It is never paused: it proves the books, shows that a process is alive, releases money, or watches deadlines."
)
ALREADY = _("It is so already.")


@dataclass(frozen=True, slots=True)
class Pause:
    """A paused task: since when, by whom, and why. None: it was not paused here."""

    task: PeriodicTask
    since: datetime | None
    by: str
    note: str


def may_be_paused(task: PeriodicTask) -> bool:
    return not any(name in task.name.replace("sandbox-", "") for name in NEVER_PAUSED)


@transaction.atomic
def pause(task_id: int, *, by: Actor, note: str) -> str:
    """Returns why it was not paused; "" if it is now. What it does waits until it is resumed."""
    return _switch(task_id, enabled=False, by=by, note=note)


@transaction.atomic
def resume(task_id: int, *, by: Actor, note: str) -> str:
    """Returns why it was not resumed; "" if it is. What became due meanwhile is done by the next run."""
    return _switch(task_id, enabled=True, by=by, note=note)


def _switch(task_id: int, *, enabled: bool, by: Actor, note: str) -> str:
    task = PeriodicTask.objects.select_for_update().get(pk=task_id)
    if not enabled and not may_be_paused(task):
        return str(UNPAUSABLE)
    if task.enabled == enabled:
        return str(ALREADY)
    task.enabled = enabled
    task.save()  # tells beat to read its schedule again
    audit.record(by, RESUMED if enabled else PAUSED, object_id=task.name, note=note, by_staff=True)
    return ""


def pauses() -> list[Pause]:
    """All paused tasks, by name."""
    tasks = list(PeriodicTask.objects.filter(enabled=False).select_related("interval").order_by("name"))
    written = AuditEntry.objects.filter(action=PAUSED, object_id__in=[task.name for task in tasks])
    last = {entry.object_id: entry for entry in written.select_related("actor").order_by("pk")}
    return [_pause(task, last.get(task.name)) for task in tasks]


def _pause(task: PeriodicTask, entry: AuditEntry | None) -> Pause:
    if entry is None:
        return Pause(task, None, "", "")
    return Pause(task, entry.created_at, str(entry.actor or ""), entry.note)
