"""Celery tasks of reconciliation."""

from celery import shared_task

from gateway.reconciliation import due


@shared_task
def sweep_bank_files() -> None:
    """Lets files of banks take effect, and matches lines of statements."""
    while due.run_due():
        pass
