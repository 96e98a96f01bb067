"""The life of a refund, whole (contract §7.4). Read this table first."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from gateway.refunds import postings
from gateway.refunds.errors import RefundState
from gateway.refunds.models import Refund, Status
from ledger.books.services import Move


class RefundAction(StrEnum):
    REQUEST = "request"  # the company wants to give money back
    DISPUTE = "dispute"  # the payer wants it back
    ACCEPT = "accept"  # the company agrees
    LAPSE = "lapse"  # the company was silent to the end
    CONTEST = "contest"  # the company disagrees
    FOR_PAYER = "for payer"  # support decided
    FOR_COMPANY = "for company"
    WITHDRAW = "withdraw"  # the payer gives up
    DONE = "done"  # the provider carried it out
    DECLINED = "declined"  # or could not


@dataclass(frozen=True, slots=True)
class RefundStep:
    """`sources` empty: a new refund. `posts` is the kind of the transfer that `books` makes."""

    asked: RefundAction
    sources: tuple[Status, ...]
    target: Status
    posts: str | None = None
    books: Callable[[Refund], list[Move]] | None = None
    announces: tuple[str, ...] = ()


Step, Action = RefundStep, RefundAction
NEW = ()
A, R, P = Status.AWAITING_RESPONSE, Status.UNDER_REVIEW, Status.PROCESSING
held, given, back = postings.held, postings.completed, postings.returned

STEPS = (
    #    asked              from    to                posts               books  announced
    Step(Action.REQUEST,     NEW,    P,                "refund.held",      held,  ("refund.created",)),
    Step(Action.DISPUTE,     NEW,    A,                "refund.held",      held,
         ("refund.created", "refund.response_required")),
    Step(Action.ACCEPT,      (A, R), P,                None,               None,  ("refund.updated",)),
    Step(Action.LAPSE,       (A,),   P,                None,               None,  ("refund.updated",)),
    Step(Action.CONTEST,     (A,),   R,                None,               None,  ("refund.updated",)),
    Step(Action.FOR_PAYER,   (R,),   P,                None,               None,  ("refund.updated",)),
    Step(Action.FOR_COMPANY, (R,),   Status.REJECTED,  "refund.returned",  back,  ("refund.rejected",)),
    Step(Action.WITHDRAW,    (A, R), Status.CANCELED,  "refund.returned",  back,  ("refund.canceled",)),
    Step(Action.DONE,        (P,),   Status.COMPLETED, "refund.completed", given, ("refund.completed",)),
    Step(Action.DECLINED,    (P,),   Status.FAILED,    "refund.returned",  back,  ("refund.failed",)),
)  # fmt: skip

_BY_QUESTION = {(step.asked, source): step for step in STEPS for source in (step.sources or ("",))}


def step(asked: RefundAction, status: str) -> RefundStep:
    """What this means for a refund in `status` (empty: a new one). ONP409_REFUND_STATE where nothing."""
    try:
        return _BY_QUESTION[asked, status]
    except KeyError:
        raise RefundState from None
