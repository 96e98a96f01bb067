"""The lifecycle of a withdrawal (contract §11.1). Read this table first."""

from enum import StrEnum

from accounts.base.lifecycle import NEW, Table, Transition
from gateway.withdrawals import postings
from gateway.withdrawals.errors import WithdrawalState
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal


class WithdrawalAction(StrEnum):
    REQUEST = "request"  # the company requests it
    DONE = "done"  # the provider paid it out
    DECLINED = "declined"  # or rejected it
    RETURNED = "returned"  # the beneficiary's bank sent it back


Action, when = WithdrawalAction, Transition
P, C = Status.PROCESSING, Status.COMPLETED
held, completed, failed, returned = postings.held, postings.completed, postings.failed, postings.returned

TRANSITIONS = (
    #    action           from  to               posts                   books      announced
    when(Action.REQUEST,  NEW,  P,               "withdrawal.held",      held),
    when(Action.DONE,     (P,), C,               "withdrawal.completed", completed, ("withdrawal.completed",)),
    when(Action.DECLINED, (P,), Status.FAILED,   "withdrawal.failed",    failed,    ("withdrawal.failed",)),
    when(Action.RETURNED, (C,), Status.RETURNED, "withdrawal.returned",  returned,  ("withdrawal.returned",)),
)  # fmt: skip

WITHDRAWAL_LIFE = Table(WithdrawalAction, Status, WithdrawalState, TRANSITIONS)


def may_be(asked: WithdrawalAction, withdrawal: Withdrawal) -> bool:
    """Whether this is possible in the withdrawal's current status. A blockchain transfer cannot be recalled, and what
    waits for approval can only fail.
    """
    if withdrawal.approval == ApprovalState.PENDING and asked != WithdrawalAction.DECLINED:
        return False
    if asked == WithdrawalAction.RETURNED and withdrawal.is_converted:
        return False
    return WITHDRAWAL_LIFE.allows(asked, withdrawal.status)
