"""The lifecycles of a receivable and of an advance. Read these tables first."""

from enum import StrEnum

from accounts.base.lifecycle import NEW, Table, Transition
from ledger.receivables.errors import AdvanceState, ReceivableState
from ledger.receivables.models import Advance, Receivable, State


class ReceivableAction(StrEnum):
    SCHEDULE = "schedule"  # its payment was paid
    RELEASE = "release"  # its release date was reached
    RESERVE = "reserve"  # an advance was requested
    ADVANCE = "advance"  # and approved
    GIVE_BACK = "give back"  # or refused
    CANCEL = "cancel"  # it was fully refunded
    RESTORE = "restore"  # and the refund failed


class AdvanceAction(StrEnum):
    REQUEST = "request"  # the company wants its receivables sooner
    APPROVE = "approve"  # staff approve: each receivable is advanced
    REFUSE = "refuse"  # or refuse: they go back to their schedule


when = Transition
S, RESERVED = State.SCHEDULED, State.RESERVED_FOR_ADVANCE
Action, Asked, Decided = ReceivableAction, AdvanceAction, Advance.State

# `services` posts releases and advances: one statement releases many receivables.
RECEIVABLE_LIFE: Table[ReceivableAction, Receivable] = Table(
    ReceivableAction,
    State,
    ReceivableState,
    (
        #    action            from         to               posts
        when(Action.SCHEDULE,  NEW,         S),
        when(Action.RELEASE,   (S,),        State.RELEASED,  "receivable.released"),
        when(Action.RESERVE,   (S,),        RESERVED),
        when(Action.ADVANCE,   (RESERVED,), State.ADVANCED,  "receivable.advanced"),
        when(Action.GIVE_BACK, (RESERVED,), S),
        when(Action.CANCEL,    (S,),        State.CANCELED),
        when(Action.RESTORE,   (State.CANCELED,), S),
    ),
)  # fmt: skip

# The money of an approved advance is posted by its receivables.
ADVANCE_LIFE: Table[AdvanceAction, Advance] = Table(
    AdvanceAction,
    Advance.State,
    AdvanceState,
    (
        #    action         from                     to                    announced
        when(Asked.REQUEST, NEW,                     Decided.UNDER_REVIEW),
        when(Asked.APPROVE, (Decided.UNDER_REVIEW,), Decided.APPROVED, announces=("advance.approved",)),
        when(Asked.REFUSE,  (Decided.UNDER_REVIEW,), Decided.REFUSED,  announces=("advance.refused",)),
    ),
)  # fmt: skip
