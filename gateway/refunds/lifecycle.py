"""The life of a refund, whole (contract §7.4). Read this table first."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from gateway.refunds import postings
from gateway.refunds.errors import RefundState
from gateway.refunds.models import Refund, Status
from ledger.books.services import Move


class Asked(StrEnum):
    REQUEST = "request"  # the company wants to give money back
    DISPUTE = "dispute"  # the payer wants it back
    ACCEPT = "accept"  # the company agrees
    LAPSE = "lapse"  # the company was silent to the end
    CONTEST = "contest"  # the company disagrees
    FOR_PAYER = "for payer"  # support decided
    FOR_COMPANY = "for company"
    WITHDRAW = "withdraw"  # the payer gives up
    DONE = "done"  # the outside party carried it out
    DECLINED = "declined"  # or could not


@dataclass(frozen=True, slots=True)
class Step:
    """`sources` empty: a new refund. `posts` is the kind of the transfer that `books` makes."""

    asked: Asked
    sources: tuple[Status, ...]
    target: Status
    posts: str | None = None
    books: Callable[[Refund], list[Move]] | None = None
    announces: tuple[str, ...] = ()


NEW = ()
A, R, P = Status.AWAITING_RESPONSE, Status.UNDER_REVIEW, Status.PROCESSING
held, given, back = postings.held, postings.completed, postings.returned

STEPS = (
    #    asked              from    to                posts               books  announced
    Step(Asked.REQUEST,     NEW,    P,                "refund.held",      held,  ("refund.created",)),
    Step(Asked.DISPUTE,     NEW,    A,                "refund.held",      held,
         ("refund.created", "refund.response_required")),
    Step(Asked.ACCEPT,      (A, R), P,                None,               None,  ("refund.updated",)),
    Step(Asked.LAPSE,       (A,),   P,                None,               None,  ("refund.updated",)),
    Step(Asked.CONTEST,     (A,),   R,                None,               None,  ("refund.updated",)),
    Step(Asked.FOR_PAYER,   (R,),   P,                None,               None,  ("refund.updated",)),
    Step(Asked.FOR_COMPANY, (R,),   Status.REJECTED,  "refund.returned",  back,  ("refund.rejected",)),
    Step(Asked.WITHDRAW,    (A, R), Status.CANCELED,  "refund.returned",  back,  ("refund.canceled",)),
    Step(Asked.DONE,        (P,),   Status.COMPLETED, "refund.completed", given, ("refund.completed",)),
    Step(Asked.DECLINED,    (P,),   Status.FAILED,    "refund.returned",  back,  ("refund.failed",)),
)  # fmt: skip

_BY_QUESTION = {(step.asked, source): step for step in STEPS for source in (step.sources or ("",))}


def step(asked: Asked, status: str) -> Step:
    """What this means for a refund in `status` (empty: a new one). ONP409_REFUND_STATE where nothing."""
    try:
        return _BY_QUESTION[asked, status]
    except KeyError:
        raise RefundState from None
