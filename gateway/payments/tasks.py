"""Celery tasks of payments."""

from celery import shared_task

from gateway.payments import due

BATCH = 100


@shared_task
def sweep_payments(environment: str | None = None) -> None:
    """Queries providers about due payments, and expires overdue ones."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass
