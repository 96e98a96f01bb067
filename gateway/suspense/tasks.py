"""Celery tasks of money in suspense."""

from celery import shared_task

from gateway.suspense import due, recovery

BATCH = 100


@shared_task
def sweep_suspense() -> None:
    """Gives back money that does not fit."""
    while due.run_due(BATCH) >= BATCH:
        pass


@shared_task
def recover_money() -> None:
    """Compares all money that institutions list with what we know of it."""
    recovery.recover()
