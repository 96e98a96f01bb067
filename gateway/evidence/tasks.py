"""Celery tasks of evidence packs."""

from celery import shared_task

from gateway.evidence import due

BATCH = 100


@shared_task
def sweep_evidence(environment: str | None = None) -> None:
    """Announces and hands in the evidence of disputes that nobody answers."""
    while due.run_due(BATCH, environment) >= BATCH:
        pass


@shared_task
def watch_evidence() -> None:
    """Tells companies and staff of evidence that was not handed in. Another worker does it than hands in."""
    while due.watch(BATCH) >= BATCH:
        pass
