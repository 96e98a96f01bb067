"""Celery tasks of batches."""

from celery import shared_task

from accounts.base.clock import utcnow
from gateway.payout_batches import cut_offs, due

BATCH = 100


@shared_task
def sweep_batches() -> None:
    """Drops released files in the folders of banks, and applies what banks answer."""
    while due.run_due(BATCH) >= BATCH:
        pass


@shared_task
def gather_batches() -> None:
    """Gathers what waits for files at the cut-offs of their banks."""
    cut_offs.gather(utcnow())
