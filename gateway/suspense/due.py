"""Due work on money in suspense: it is given back by rule, and its provider is asked to do so."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from accounts.due import Due
from gateway.providers.returning import HELD_BACK_FOR, waits_after_restore
from gateway.suspense.models import State, SuspenseItem
from gateway.suspense.provider import now_of
from gateway.suspense.questions import ask_and_take, prepare
from gateway.suspense.services import begin_return


def _give_back(item: SuspenseItem, _at: datetime) -> None:
    """Not while a restored database may lack the payment that the money has paid."""
    if waits_after_restore(item):
        item.return_at = now_of(item) + HELD_BACK_FOR
        item.save(update_fields=["return_at"])
        return
    begin_return(item, now_of(item))


def _ask(item: SuspenseItem, _at: datetime) -> Callable[[], object] | None:
    if waits_after_restore(item):
        item.ask_at = now_of(item) + HELD_BACK_FOR
        item.save(update_fields=["ask_at"])
        return None
    return partial(ask_and_take, prepare(item, now_of(item)))


RETURN = Due(
    kind="suspense.returned",
    title="Money in suspense to give back",
    model=SuspenseItem,
    column="return_at",
    statuses=(State.HELD,),
    status_column="state",
    run=_give_back,
)
ASK = Due(
    kind="suspense.asked",
    title="Returns of money in suspense to query",
    model=SuspenseItem,
    column="ask_at",
    statuses=(State.RETURNING,),
    status_column="state",
    condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",
    run=_ask,
)
DUE = (RETURN, ASK)


def run_due(limit: int = 100) -> int:
    """Gives back what waited long enough, and queries its providers, at most `limit` of each; returns how many."""
    return sum(due.sweep(limit) for due in DUE)
