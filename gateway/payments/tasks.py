"""Celery tasks of payments."""

from celery import shared_task

from gateway.payments import due

BATCH = 100


@shared_task
def sweep_payments() -> None:
    """Asks what became of payments, and expires those that are overdue."""
    while due.run_due(BATCH) >= BATCH:
        pass
