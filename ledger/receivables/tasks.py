"""What the timetable asks of receivables."""

from celery import shared_task

from ledger.receivables import services as receivables


@shared_task
def release() -> None:
    """Releases everything whose day has come."""
    receivables.release_due()
