"""Celery tasks of looks at companies' pages."""

from celery import shared_task

from accounts.viewing import services

BATCH = 100


@shared_task
def end_views() -> None:
    """Ends looks whose time has passed."""
    while services.end_overdue(BATCH) >= BATCH:
        pass
