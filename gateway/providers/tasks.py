"""Celery tasks of providers."""

from celery import shared_task

from gateway.providers import due, retention

BATCH = 100


@shared_task
def sweep_provider_messages() -> None:
    """Reads messages of institutions and queries what they are about; tries accounts that were taken out."""
    while due.run_due(BATCH) >= BATCH:
        pass


@shared_task
def forget_provider_messages() -> None:
    """Deletes messages that are older than the request log."""
    retention.forget_old_messages()
