"""Celery tasks of settlements."""

from celery import shared_task

from gateway.settlements import due, lines, missing, reports

BATCH = 500


@shared_task
def sweep_settlements() -> None:
    """Reads reports, matches and books their lines."""
    while due.run_due(BATCH) >= BATCH:
        pass


@shared_task
def open_settlement_days() -> None:
    """Opens the reports of new days, follows money in suspense and differences, and looks for what no report names."""
    reports.open_days()
    lines.follow_suspense()
    lines.look_again()
    missing.look()
