"""Celery tasks of receivables."""

from celery import shared_task

from ledger.receivables import due


@shared_task
def sweep_receivables() -> None:
    """Releases everything that is due."""
    due.run_due()
