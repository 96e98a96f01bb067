"""Celery tasks of closed days."""

from celery import shared_task

from ledger.closings.services import close_days


@shared_task
def close() -> None:
    close_days()
