"""The life of a receivable, whole. Read this table first."""

from dataclasses import dataclass
from enum import StrEnum

from ledger.receivables.errors import ReceivableState
from ledger.receivables.models import State


class Asked(StrEnum):
    RELEASE = "release"  # its day has come
    RESERVE = "reserve"  # an advance was requested
    ADVANCE = "advance"  # and approved
    GIVE_BACK = "give back"  # or refused
    CANCEL = "cancel"  # all of it was refunded
    RESTORE = "restore"  # and the refund came to nothing


@dataclass(frozen=True, slots=True)
class Step:
    """`posts` is the kind of the transfer, where money moves."""

    asked: Asked
    source: State
    target: State
    posts: str | None = None


STEPS = (
    Step(Asked.RELEASE, State.SCHEDULED, State.RELEASED, "receivable.released"),
    Step(Asked.RESERVE, State.SCHEDULED, State.RESERVED_FOR_ADVANCE),
    Step(Asked.ADVANCE, State.RESERVED_FOR_ADVANCE, State.ADVANCED, "receivable.advanced"),
    Step(Asked.GIVE_BACK, State.RESERVED_FOR_ADVANCE, State.SCHEDULED),
    Step(Asked.CANCEL, State.SCHEDULED, State.CANCELED),
    Step(Asked.RESTORE, State.CANCELED, State.SCHEDULED),
)
_BY_QUESTION = {(step.asked, step.source): step for step in STEPS}


def step(asked: Asked, state: str) -> Step:
    """Refuses with ONP409_RECEIVABLE_STATE what the table does not say."""
    try:
        return _BY_QUESTION[asked, State(state)]
    except KeyError:
        raise ReceivableState from None
