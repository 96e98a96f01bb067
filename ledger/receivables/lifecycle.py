"""The life of a receivable, whole. Read this table first."""

from dataclasses import dataclass
from enum import StrEnum

from ledger.receivables.errors import ReceivableState
from ledger.receivables.models import State


class ReceivableAction(StrEnum):
    RELEASE = "release"  # its day has come
    RESERVE = "reserve"  # an advance was requested
    ADVANCE = "advance"  # and approved
    GIVE_BACK = "give back"  # or refused
    CANCEL = "cancel"  # all of it was refunded
    RESTORE = "restore"  # and the refund came to nothing


@dataclass(frozen=True, slots=True)
class ReceivableStep:
    """`posts` is the kind of the transfer, where money moves."""

    asked: ReceivableAction
    source: State
    target: State
    posts: str | None = None


STEPS = (
    ReceivableStep(ReceivableAction.RELEASE, State.SCHEDULED, State.RELEASED, "receivable.released"),
    ReceivableStep(ReceivableAction.RESERVE, State.SCHEDULED, State.RESERVED_FOR_ADVANCE),
    ReceivableStep(ReceivableAction.ADVANCE, State.RESERVED_FOR_ADVANCE, State.ADVANCED, "receivable.advanced"),
    ReceivableStep(ReceivableAction.GIVE_BACK, State.RESERVED_FOR_ADVANCE, State.SCHEDULED),
    ReceivableStep(ReceivableAction.CANCEL, State.SCHEDULED, State.CANCELED),
    ReceivableStep(ReceivableAction.RESTORE, State.CANCELED, State.SCHEDULED),
)
_BY_QUESTION = {(step.asked, step.source): step for step in STEPS}


def step(asked: ReceivableAction, state: str) -> ReceivableStep:
    """Refuses with ONP409_RECEIVABLE_STATE what the table does not say."""
    try:
        return _BY_QUESTION[asked, State(state)]
    except KeyError:
        raise ReceivableState from None
