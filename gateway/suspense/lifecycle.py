"""The lifecycle of money in suspense. Read this table first."""

from enum import StrEnum

from accounts.base.lifecycle import NEW, Table, Transition
from gateway.suspense import postings
from gateway.suspense.errors import ItemState
from gateway.suspense.models import State, SuspenseItem


class SuspenseAction(StrEnum):
    HOLD = "hold"  # it arrived
    ATTRIBUTE = "attribute"  # staff found out which payment it was meant for
    KEEP = "keep"  # staff want to look at it first
    RETURN = "return"  # by rule, or by two people: the provider is asked
    RETURNED = "returned"  # the provider returned it, or staff did at the bank
    DECLINED = "declined"  # the provider did not return it
    ASSIGN = "assign"  # two people let it pay its payment
    RESOLVE = "resolve"  # two people said what a line of a bank statement is, or the bank took it back


Action, when = SuspenseAction, Transition
HELD, RETURNING = State.HELD, State.RETURNING
held, let_go = postings.held, postings.let_go

TRANSITIONS: tuple[Transition[SuspenseAction, SuspenseItem], ...] = (
    #    asked            from               to              posts                books
    when(Action.HOLD,      NEW,               HELD,           "suspense.held",     held),
    when(Action.ATTRIBUTE, (HELD,),           HELD,           "suspense.held",     held),
    when(Action.KEEP,      (HELD,),           HELD),
    when(Action.RETURN,    (HELD,),           RETURNING),
    when(Action.RETURNED,  (HELD, RETURNING), State.RETURNED, "suspense.returned", let_go),
    when(Action.DECLINED,  (RETURNING,),      HELD),
    when(Action.ASSIGN,    (HELD,),           State.ASSIGNED, "suspense.assigned", let_go),
    when(Action.RESOLVE,   (HELD,),           State.RESOLVED, "suspense.resolved", let_go),
)  # fmt: skip

SUSPENSE_LIFE = Table(SuspenseAction, State, ItemState, TRANSITIONS)
