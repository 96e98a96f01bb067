"""Celery tasks of scheduled reports."""

from celery import shared_task

from gateway.reports import due

BATCH = 100


@shared_task
def sweep_reports(environment: str | None = None) -> None:
    """Sends the scheduled reports that are due."""
    while due.send_due(BATCH, environment) >= BATCH:
        pass
