"""Celery tasks of boletos."""

from celery import shared_task

from gateway.boletos import due, files

BATCH = 500


@shared_task
def sweep_boletos() -> None:
    """Drops registration files in the folders of banks, and applies what returns say."""
    while due.run_due(BATCH) >= BATCH:
        pass


@shared_task
def write_registration_files() -> None:
    """Writes the files that tell banks of new boletos, and of those to withdraw."""
    files.write_due()
