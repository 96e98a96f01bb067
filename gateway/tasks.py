"""What the timetable asks of the service itself."""

from celery import shared_task

from accounts.heartbeats import beat
from gateway.api.idempotency import forget_old


@shared_task
def heartbeat() -> None:
    """Proof that timetable, broker and worker are up together."""
    beat("worker")


@shared_task
def forget_idempotency_keys() -> None:
    forget_old()
