"""What the timetable asks of withdrawals."""

from celery import shared_task

from gateway.withdrawals import notices
from gateway.withdrawals import services as withdrawals

BATCH = 100


@shared_task
def look() -> None:
    """Hands over what was accepted, and asks what became of what is on its way."""
    while withdrawals.happen_due(BATCH) >= BATCH:
        pass


@shared_task
def sum_up() -> None:
    """Tells people of the withdrawals since the last summary."""
    while notices.sum_up(BATCH) >= BATCH:
        pass
