"""Celery tasks of closed days."""

from celery import shared_task

from ledger.closings.services import close_days as close_all


@shared_task
def close_days() -> None:
    close_all()
