"""Celery tasks of saved cards."""

from celery import shared_task

from gateway.saved_cards import due

BATCH = 100


@shared_task
def sweep_removals() -> None:
    """Has acquirers remove cards from their vaults that were removed here."""
    while due.run_due(BATCH) >= BATCH:
        pass
