"""Celery tasks of refunds."""

from celery import shared_task

from gateway.refunds import due

BATCH = 100


@shared_task
def sweep_refunds(environment: str | None = None) -> None:
    """Asks about refunds in progress, sends reminders, accepts unanswered requests, and covers missing money."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass
    due.FILL.sweep(BATCH, environment=environment)
