"""The timetable's proof of the books."""

from celery import shared_task

from ledger.proofs.services import prove


@shared_task
def verify() -> None:
    prove()
