"""Celery tasks of refunds."""

from celery import shared_task

from gateway.refunds import due, recovery
from gateway.refunds.disputes import callbacks as disputes
from gateway.refunds.disputes import due as due_disputes

BATCH = 100


@shared_task
def sweep_refunds(environment: str | None = None) -> None:
    """Asks about refunds in progress, sends reminders, accepts unanswered requests, covers missing money,
    and hands answers to disputes on."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass
    due.FILL.sweep(BATCH, environment=environment)
    due_disputes.run_due(BATCH, environment)


@shared_task
def recover_clawbacks() -> None:
    """Finds money that institutions have taken back, and disputes, that no message told of."""
    recovery.recover()
    disputes.recover()
