"""Celery tasks of reconciliation."""

from celery import shared_task

from gateway.reconciliation import due, standing


@shared_task
def sweep_bank_files() -> None:
    """Lets files of banks take effect, and matches lines of statements."""
    while due.run_due():
        pass


@shared_task
def watch_statements() -> None:
    """Tells which bank accounts miss a statement."""
    standing.watch()
