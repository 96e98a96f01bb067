"""The timetable's proof of the books."""

import structlog
from celery import shared_task

from ledger.verify import verify as prove

log = structlog.get_logger()


@shared_task
def verify() -> None:
    """Says it loudly when an invariant does not hold."""
    for violation in prove():
        log.critical("ledger.violation", invariant=violation.invariant.number, detail=str(violation))
