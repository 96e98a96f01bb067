"""Celery tasks of receivables."""

from celery import shared_task

from ledger.receivables import due


@shared_task
def sweep_receivables(environment: str | None = None) -> None:
    """Releases everything that is due."""
    due.run_due(environment=environment)
