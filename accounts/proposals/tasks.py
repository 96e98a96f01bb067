"""Celery tasks of proposals."""

from celery import shared_task

from accounts.proposals import services

BATCH = 100


@shared_task
def expire_proposals() -> None:
    """Ends proposals that nobody has confirmed in time."""
    while services.expire(BATCH) >= BATCH:
        pass
