"""Celery tasks of batches."""

from celery import shared_task

from gateway.payout_batches import due

BATCH = 100


@shared_task
def sweep_batches() -> None:
    """Drops released files in the folders of banks, and applies what banks answer."""
    while due.run_due(BATCH) >= BATCH:
        pass
