"""Celery tasks of refunds."""

from celery import shared_task

from gateway.refunds import services as refunds

BATCH = 100


@shared_task
def look() -> None:
    """Asks about refunds in progress, sends reminders, accepts unanswered requests, and covers missing money."""
    while refunds.happen_due(BATCH) >= BATCH:
        pass
    refunds.fill_shortfalls()
