"""Celery tasks of payout schedules."""

from celery import shared_task

from gateway.payout_schedules import due

BATCH = 100


@shared_task
def sweep_payout_schedules(environment: str | None = None) -> None:
    """Makes the scheduled payouts that are due."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass
