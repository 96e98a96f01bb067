"""What the timetable asks of payments."""

from celery import shared_task

from gateway.payments import services as payments

BATCH = 100


@shared_task
def ask() -> None:
    """Asks what became of everything that it is time to ask about, a batch a transaction."""
    while payments.ask_due(BATCH) == BATCH:
        pass


@shared_task
def expire() -> None:
    """Ends the time of everything overdue, a batch a transaction."""
    while payments.expire_due(BATCH) == BATCH:
        pass
