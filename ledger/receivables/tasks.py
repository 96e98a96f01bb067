"""Celery tasks of receivables."""

from celery import shared_task

from ledger.receivables import services as receivables


@shared_task
def release() -> None:
    """Releases everything that is due."""
    receivables.release_due()
