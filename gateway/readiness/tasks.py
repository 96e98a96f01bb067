"""Celery tasks of readiness checks."""

from celery import shared_task

from gateway.readiness import due

BATCH = 100


@shared_task
def sweep_readiness_checks() -> None:
    """Finishes checks whose hour is over, or that have seen everything."""
    while due.run_due(BATCH) >= BATCH:
        pass
