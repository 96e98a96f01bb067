"""The lifecycle of a refund (contract §7.4). Read this table first."""

from enum import StrEnum

from accounts.base.lifecycle import NEW, Table, Transition
from gateway.refunds import postings
from gateway.refunds.errors import RefundState
from gateway.refunds.models import Refund, Status


class RefundAction(StrEnum):
    REQUEST = "request"  # the company refunds a payment
    DISPUTE = "dispute"  # the payer requests a refund
    ACCEPT = "accept"  # the company accepts
    LAPSE = "lapse"  # the company did not answer in time
    UNANSWERED = "unanswered"  # neither did it answer a MED claim, or the acquirer takes no answer: others decide
    CONTEST = "contest"  # the company contests
    FOR_PAYER = "for payer"  # support decided
    FOR_COMPANY = "for company"
    UNDECIDED = "undecided"  # support did not decide a MED claim in time
    WON = "won"  # the acquirer says that the company keeps the money
    WITHDRAW = "withdraw"  # the payer withdraws the request
    FOUND = "found"  # the provider took the money back, and there is no claim of ours
    TAKEN_BACK = "taken back"  # the provider took the money back itself
    DONE = "done"  # the provider carried it out
    DECLINED = "declined"  # or could not


Action, when = RefundAction, Transition
A, R, P = Status.AWAITING_RESPONSE, Status.UNDER_REVIEW, Status.PROCESSING
held, given, back = postings.held, postings.completed, postings.returned

TRANSITIONS: tuple[Transition[RefundAction, Refund], ...] = (
    #    asked              from    to                posts               books  announced
    when(Action.REQUEST,     NEW,    P,                "refund.held",      held,  ("refund.created",)),
    when(Action.DISPUTE,     NEW,    A,                "refund.held",      held,
         ("refund.created", "refund.response_required")),
    when(Action.ACCEPT,      (A, R), P,                None,               None,  ("refund.updated",)),
    when(Action.LAPSE,       (A,),   P,                None,               None,  ("refund.updated",)),
    when(Action.UNANSWERED,  (A,),   R,                None,               None,  ("refund.updated",)),
    when(Action.CONTEST,     (A,),   R,                None,               None,  ("refund.updated",)),
    when(Action.FOR_PAYER,   (R,),   P,                None,               None,  ("refund.updated",)),
    when(Action.UNDECIDED,   (R,),   P,                None,               None,  ("refund.updated",)),
    when(Action.FOR_COMPANY, (R,),   Status.REJECTED,  "refund.returned",  back,  ("refund.rejected",)),
    when(Action.WON,         (A, R, P), Status.REJECTED, "refund.returned", back, ("refund.rejected",)),
    when(Action.WITHDRAW,    (A, R), Status.CANCELED,  "refund.returned",  back,  ("refund.canceled",)),
    when(Action.FOUND,       NEW,    P,                "refund.held",      held,  ("refund.created",)),
    when(Action.TAKEN_BACK,  (A, R, P), Status.COMPLETED, "refund.completed", given, ("refund.completed",)),
    when(Action.DONE,        (P,),   Status.COMPLETED, "refund.completed", given, ("refund.completed",)),
    when(Action.DECLINED,    (P,),   Status.FAILED,    "refund.returned",  back,  ("refund.failed",)),
)  # fmt: skip

REFUND_LIFE = Table(RefundAction, Status, RefundState, TRANSITIONS)
