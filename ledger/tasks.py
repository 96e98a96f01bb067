"""The scheduled proof of the books."""

from celery import shared_task

from ledger.proofs.selectors import LONGEST
from ledger.proofs.services import prove

LONGEST_S = int(LONGEST.total_seconds())


@shared_task(soft_time_limit=LONGEST_S - 60, time_limit=LONGEST_S - 30)
def prove_books() -> None:
    prove()
