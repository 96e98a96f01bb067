"""Celery tasks of withdrawals."""

from celery import shared_task

from gateway.withdrawals import notices
from gateway.withdrawals import services as withdrawals

BATCH = 100


@shared_task
def look() -> None:
    """Sends accepted orders, and queries those in progress."""
    while withdrawals.happen_due(BATCH) >= BATCH:
        pass


@shared_task
def sum_up() -> None:
    """Sends the summaries of withdrawals."""
    while notices.sum_up(BATCH) >= BATCH:
        pass
