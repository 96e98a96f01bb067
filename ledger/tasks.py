"""The scheduled proofs of the books."""

from celery import shared_task

from ledger.proofs import services
from ledger.proofs.models import LONGEST, Scope

RECENT_S, WHOLE_S = (int(LONGEST[scope].total_seconds()) for scope in (Scope.RECENT, Scope.WHOLE))


@shared_task(soft_time_limit=RECENT_S - 60, time_limit=RECENT_S - 30)
def prove_books() -> None:
    services.prove()


@shared_task(soft_time_limit=WHOLE_S - 60, time_limit=WHOLE_S - 30)
def prove_all_books(*, now: bool = False) -> None:
    """Once a night, or `now`."""
    if now:
        services.prove(Scope.WHOLE)
    else:
        services.prove_all()


@shared_task
def watch_proofs() -> None:
    services.watch()
