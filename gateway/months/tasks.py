"""Celery tasks of months."""

from celery import shared_task

from gateway.months import due

LONGEST_S = 35 * 60


@shared_task(soft_time_limit=LONGEST_S, time_limit=LONGEST_S + 10)
def close_months() -> None:
    """Closes months that are due, and makes their files: a minute for a hundred thousand sales."""
    due.run_due(1)
