"""Celery tasks of the service itself."""

from contextlib import ExitStack, suppress
from time import monotonic
from typing import Any

from celery import Task, shared_task
from celery.signals import task_postrun, task_prerun, worker_ready
from django.contrib.sessions.backends.db import SessionStore

from accounts.base.counters import TASK_SECONDS
from accounts.base.ranges.keeping import NotTheOwner
from accounts.base.tracing import span
from accounts.due import forget_stuck
from accounts.environments import serves
from accounts.heartbeats import WORKERS, beat, touch
from accounts.models import Environment
from gateway.chaos.services import forget_old as forget_old_chaos
from gateway.methods.card.tokens import forget_old as forget_old_cards
from gateway.requests.idempotency import forget_old
from gateway.requests.retention import forget_old as forget_old_requests


@worker_ready.connect
@task_postrun.connect
def worker_works(**_: object) -> None:
    """A connected worker without tasks may be dead: the schedule sends one every second."""
    touch("worker")


_running: dict[str | None, tuple[float, ExitStack]] = {}


@task_prerun.connect
def task_begins(task: Task[Any, Any], **_: object) -> None:
    spans = ExitStack()
    spans.enter_context(span(f"task {task.name}"))
    _running[task.request.id] = monotonic(), spans


@task_postrun.connect
def task_ended(task: Task[Any, Any], state: str | None, **_: object) -> None:
    if task.request.id in _running:
        began, spans = _running.pop(task.request.id)
        spans.close()
        TASK_SECONDS.labels(task.name, state or "UNKNOWN").observe(monotonic() - began)


@shared_task
def heartbeat(environment: str = Environment.PRODUCTION) -> None:
    """Proves that beat, broker and the worker of an environment are up together."""
    if serves(environment):
        beat(WORKERS[environment])


@shared_task
def messages_heartbeat() -> None:
    """Heartbeat of the worker that serves the queue of e-mails, rates and webhooks."""
    beat("messages")


@shared_task
def background_heartbeat() -> None:
    """Heartbeat of the worker that serves the queue of long tasks."""
    beat("background")


@shared_task
def forget_cards() -> None:
    forget_old_cards()


@shared_task
def forget_idempotency_keys() -> None:
    forget_old()


@shared_task
def forget_sessions() -> None:
    """Deletes expired sessions."""
    SessionStore.clear_expired()


@shared_task
def forget_stuck_work() -> None:
    forget_stuck()


@shared_task
def forget_requests() -> None:
    """The log, where one role has everything; else `manage.py keep_ranges` does it, as the owner of the tables."""
    with suppress(NotTheOwner):
        forget_old_requests()
    forget_old_chaos()
