"""What the timetable asks of refunds."""

from celery import shared_task

from gateway.refunds import services as refunds

BATCH = 100


@shared_task
def look() -> None:
    """Asks about refunds on their way, reminds, takes silence for an answer, and fills what lacks money."""
    while refunds.happen_due(BATCH) >= BATCH:
        pass
    refunds.fill_shortfalls()
