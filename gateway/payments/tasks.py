"""Celery tasks of payments."""

from celery import shared_task

from gateway.payments import services as payments

BATCH = 100


@shared_task
def ask() -> None:
    """Asks providers about everything due, one batch per run."""
    while payments.ask_due(BATCH) == BATCH:
        pass


@shared_task
def expire() -> None:
    """Expires everything overdue, one batch per run."""
    while payments.expire_due(BATCH) == BATCH:
        pass
