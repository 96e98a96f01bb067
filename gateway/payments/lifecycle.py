"""The life of a payment, whole. Read this table first."""

from collections.abc import Callable
from dataclasses import dataclass

from gateway.methods.rail import Answered, Asked
from gateway.payments import postings
from gateway.payments.errors import PaymentState
from gateway.payments.models import Payment, Status
from ledger.books.services import Move


@dataclass(frozen=True, slots=True)
class Step:
    """`sources` empty: a new payment. `books` makes the movements, `announces` is the event."""

    asked: Asked
    answered: Answered
    sources: tuple[Status, ...]
    target: Status
    books: Callable[[Payment], list[Move]] | None = None
    announces: str | None = None


NEW = ()
A, P, U = Status.ACTION_REQUIRED, Status.PENDING, Status.AUTHORIZED
PAID, FAILED, EXPIRED, REFUNDED = Status.PAID, Status.FAILED, Status.EXPIRED, Status.REFUNDED
paid = postings.paid

STEPS = (
    #    asked          answered             from     to        books  announced
    Step(Asked.CREATE,  Answered.UNKNOWN,    NEW,     P),
    Step(Asked.CREATE,  Answered.WAITING,    NEW,     P),
    Step(Asked.CREATE,  Answered.SESSION,    NEW,     A,        None,  "payment.action_required"),
    Step(Asked.CREATE,  Answered.REVIEW,     NEW,     A),
    Step(Asked.CREATE,  Answered.CHECKOUT,   NEW,     P,        None,  "payment.updated"),
    Step(Asked.CREATE,  Answered.AUTHORIZED, NEW,     U,        None,  "payment.authorized"),
    Step(Asked.CREATE,  Answered.DONE,       NEW,     PAID,     paid,  "payment.paid"),
    Step(Asked.CREATE,  Answered.DECLINED,   NEW,     FAILED,   None,  "payment.failed"),
    Step(Asked.PREPARE, Answered.WAITING,    (P,),    P,        None,  "payment.updated"),
    Step(Asked.PREPARE, Answered.SESSION,    (P,),    A,        None,  "payment.action_required"),
    Step(Asked.PREPARE, Answered.CHECKOUT,   (P,),    P,        None,  "payment.updated"),
    Step(Asked.PREPARE, Answered.REVIEW,     (P,),    A),
    Step(Asked.PREPARE, Answered.AUTHORIZED, (P,),    U,        None,  "payment.authorized"),
    Step(Asked.PREPARE, Answered.DONE,       (P,),    PAID,     paid,  "payment.paid"),
    Step(Asked.PREPARE, Answered.UNKNOWN,    (P,),    P),
    Step(Asked.PREPARE, Answered.DECLINED,   (P,),    FAILED,   None,  "payment.failed"),
    Step(Asked.REVIEW,  Answered.CLEARED,    (A,),    P,        None,  "payment.updated"),
    Step(Asked.REVIEW,  Answered.DECLINED,   (A,),    FAILED,   None,  "payment.failed"),
    Step(Asked.PAY,     Answered.DONE,       (P, A),  PAID,     paid,  "payment.paid"),
    Step(Asked.PAY,     Answered.DECLINED,   (P, A),  FAILED,   None,  "payment.failed"),
    Step(Asked.PAY,     Answered.AUTHORIZED, (A,),    U,        None,  "payment.authorized"),
    Step(Asked.PAY,     Answered.UNKNOWN,    (A,),    P,        None,  "payment.updated"),
    Step(Asked.PAY,     Answered.CHALLENGE,  (A,),    A),
    Step(Asked.CAPTURE, Answered.DONE,       (U,),    PAID,     paid,  "payment.paid"),
    Step(Asked.CAPTURE, Answered.DECLINED,   (U,),    FAILED,   None,  "payment.failed"),
    Step(Asked.EXPIRE,  Answered.DONE,       (P, A, U), EXPIRED, None, "payment.expired"),
    Step(Asked.REFUND,  Answered.PARTLY,     (PAID,), PAID,     None,  "payment.updated"),
    Step(Asked.REFUND,  Answered.DONE,       (PAID,), REFUNDED, None,  "payment.refunded"),
)  # fmt: skip

_BY_QUESTION = {(step.asked, step.answered, source): step for step in STEPS for source in (step.sources or ("",))}


def open_question(payment: Payment) -> Asked:
    """What the outside party is asked about a payment that it has not answered for good."""
    if payment.status == Status.ACTION_REQUIRED:
        return Asked.REVIEW
    if payment.status == Status.AUTHORIZED:
        return Asked.CAPTURE
    return Asked.PAY if payment.is_instructed else Asked.PREPARE


def step(asked: Asked, answered: Answered, status: str) -> Step:
    """What this answer means for a payment in `status` (empty: a new one). ONP409_PAYMENT_STATE where nothing."""
    try:
        return _BY_QUESTION[asked, answered, status]
    except KeyError:
        raise PaymentState from None
