"""Celery tasks of bulk files."""

from celery import shared_task

from gateway.bulk import due

BATCH = 100


@shared_task
def sweep_bulk_lines(environment: str | None = None) -> None:
    """Carries out the lines of confirmed files."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass
