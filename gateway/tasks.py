"""What the timetable asks of the service itself."""

from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore

from accounts.heartbeats import beat
from gateway.api.idempotency import forget_old
from gateway.api.requests.retention import forget_old as forget_old_requests
from gateway.vault.services import forget_old as forget_old_cards


@shared_task
def heartbeat() -> None:
    """Proof that timetable, broker and worker are up together."""
    beat("worker")


@shared_task
def forget_cards() -> None:
    forget_old_cards()


@shared_task
def forget_idempotency_keys() -> None:
    forget_old()


@shared_task
def forget_sessions() -> None:
    """Sessions that are over, and the drafts beside them."""
    SessionStore.clear_expired()


@shared_task
def forget_requests() -> None:
    forget_old_requests()
