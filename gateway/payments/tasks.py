"""Celery tasks of payments."""

from celery import shared_task

from gateway.payments import due

BATCH = 100


@shared_task
def sweep_payments() -> None:
    """Queries providers about due payments, and expires overdue ones."""
    while due.run_due(BATCH) >= BATCH:
        pass
