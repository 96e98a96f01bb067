"""The life of a withdrawal, whole (contract §11.1). Read this table first."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from gateway.withdrawals import postings
from gateway.withdrawals.errors import WithdrawalState
from gateway.withdrawals.models import Status, Withdrawal
from ledger.books.services import Move


class Asked(StrEnum):
    REQUEST = "request"  # the company wants its money
    DONE = "done"  # the outside party paid it out
    DECLINED = "declined"  # or will not
    RETURNED = "returned"  # the beneficiary's bank sent it back


@dataclass(frozen=True, slots=True)
class Step:
    """`source` None: a new withdrawal. `posts` is the kind of the transfer that `books` makes."""

    asked: Asked
    source: Status | None
    target: Status
    posts: str
    books: Callable[[Withdrawal], list[Move]]
    announces: str | None = None


P, C = Status.PROCESSING, Status.COMPLETED

STEPS = (
    #    asked           from   to               posts                   books                announced
    Step(Asked.REQUEST,  None,  P,               "withdrawal.held",      postings.held),
    Step(Asked.DONE,     P,     C,               "withdrawal.completed", postings.completed,  "withdrawal.completed"),
    Step(Asked.DECLINED, P,     Status.FAILED,   "withdrawal.failed",    postings.failed,     "withdrawal.failed"),
    Step(Asked.RETURNED, C,     Status.RETURNED, "withdrawal.returned",  postings.returned,   "withdrawal.returned"),
)  # fmt: skip

_BY_QUESTION = {(step.asked, step.source): step for step in STEPS}


def step(asked: Asked, status: str) -> Step:
    """What this means for a withdrawal in `status` (empty: a new one). ONP409_WITHDRAWAL_STATE where nothing."""
    try:
        return _BY_QUESTION[asked, Status(status) if status else None]
    except KeyError:
        raise WithdrawalState from None


def may_be(asked: Asked, withdrawal: Withdrawal) -> bool:
    """Whether this can happen to the withdrawal as it is now. What is on a chain cannot be called back."""
    if asked == Asked.RETURNED and withdrawal.is_converted:
        return False
    return (asked, withdrawal.status) in _BY_QUESTION
