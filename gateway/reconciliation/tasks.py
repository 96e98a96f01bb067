"""Celery tasks of reconciliation."""

from celery import shared_task

from gateway.reconciliation import due, fetching, standing


@shared_task
def sweep_bank_files() -> None:
    """Lets files of banks take effect, and matches lines of statements."""
    while due.run_due():
        pass


@shared_task
def watch_statements() -> None:
    """Tells which bank accounts miss a statement."""
    standing.watch()


@shared_task
def fetch_bank_files() -> None:
    """Fetches what banks have left in their folders."""
    fetching.fetch()
