"""Celery tasks of withdrawals."""

from celery import shared_task

from gateway.withdrawals import due, notices

BATCH = 100


@shared_task
def sweep_withdrawals(environment: str | None = None) -> None:
    """Sends accepted orders, and queries those in progress."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass


@shared_task
def summarize_withdrawals() -> None:
    """Sends the summaries of withdrawals."""
    while notices.sum_up(BATCH) >= BATCH:
        pass
