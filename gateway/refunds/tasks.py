"""Celery tasks of refunds."""

from celery import shared_task

from gateway.refunds import due, recovery

BATCH = 100


@shared_task
def sweep_refunds(environment: str | None = None) -> None:
    """Asks about refunds in progress, sends reminders, accepts unanswered requests, and covers missing money."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass
    due.FILL.sweep(BATCH, environment=environment)


@shared_task
def recover_clawbacks() -> None:
    """Finds money that institutions have taken back and told nobody of."""
    recovery.recover()
