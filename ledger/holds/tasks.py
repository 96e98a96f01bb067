"""Celery tasks of holds."""

from celery import shared_task

from ledger.holds import due

BATCH = 500


@shared_task
def sweep_reserves(environment: str | None = None) -> None:
    """Releases rolling reserves at their end."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass
