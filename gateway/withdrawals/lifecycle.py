"""The life of a withdrawal, whole (contract §11.1). Read this table first."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from gateway.withdrawals import postings
from gateway.withdrawals.errors import WithdrawalState
from gateway.withdrawals.models import Status, Withdrawal
from ledger.books.services import Move


class WithdrawalAction(StrEnum):
    REQUEST = "request"  # the company wants its money
    DONE = "done"  # the provider paid it out
    DECLINED = "declined"  # or will not
    RETURNED = "returned"  # the beneficiary's bank sent it back


@dataclass(frozen=True, slots=True)
class WithdrawalStep:
    """`source` None: a new withdrawal. `posts` is the kind of the transfer that `books` makes."""

    asked: WithdrawalAction
    source: Status | None
    target: Status
    posts: str
    books: Callable[[Withdrawal], list[Move]]
    announces: str | None = None


P, C = Status.PROCESSING, Status.COMPLETED

Action = WithdrawalAction
held, completed, failed, returned = postings.held, postings.completed, postings.failed, postings.returned

STEPS = (
    #              asked            from  to               posts                   books       announced
    WithdrawalStep(Action.REQUEST,  None, P,               "withdrawal.held",      held),
    WithdrawalStep(Action.DONE,     P,    C,               "withdrawal.completed", completed,  "withdrawal.completed"),
    WithdrawalStep(Action.DECLINED, P,    Status.FAILED,   "withdrawal.failed",    failed,     "withdrawal.failed"),
    WithdrawalStep(Action.RETURNED, C,    Status.RETURNED, "withdrawal.returned",  returned,   "withdrawal.returned"),
)  # fmt: skip

_BY_QUESTION = {(step.asked, step.source): step for step in STEPS}


def step(asked: WithdrawalAction, status: str) -> WithdrawalStep:
    """What this means for a withdrawal in `status` (empty: a new one). ONP409_WITHDRAWAL_STATE where nothing."""
    try:
        return _BY_QUESTION[asked, Status(status) if status else None]
    except KeyError:
        raise WithdrawalState from None


def may_be(asked: WithdrawalAction, withdrawal: Withdrawal) -> bool:
    """Whether this can happen to the withdrawal as it is now. What is on a chain cannot be called back."""
    if asked == WithdrawalAction.RETURNED and withdrawal.is_converted:
        return False
    return (asked, withdrawal.status) in _BY_QUESTION
