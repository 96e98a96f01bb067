"""The life of a payment, whole. Read this table first."""

from collections.abc import Callable
from dataclasses import dataclass

from gateway.methods.rail import PaymentAction, PaymentResult
from gateway.payments import postings
from gateway.payments.errors import PaymentState
from gateway.payments.models import Payment, Status
from ledger.books.services import Move


@dataclass(frozen=True, slots=True)
class PaymentStep:
    """`sources` empty: a new payment. `books` makes the movements, `announces` is the event."""

    asked: PaymentAction
    answered: PaymentResult
    sources: tuple[Status, ...]
    target: Status
    books: Callable[[Payment], list[Move]] | None = None
    announces: str | None = None


Step, Action, Result = PaymentStep, PaymentAction, PaymentResult
NEW = ()
A, P, U = Status.ACTION_REQUIRED, Status.PENDING, Status.AUTHORIZED
PAID, FAILED, EXPIRED, REFUNDED = Status.PAID, Status.FAILED, Status.EXPIRED, Status.REFUNDED
paid = postings.paid

STEPS = (
    #    asked          answered             from     to        books  announced
    Step(Action.CREATE,  Result.UNKNOWN,    NEW,     P),
    Step(Action.CREATE,  Result.WAITING,    NEW,     P),
    Step(Action.CREATE,  Result.SESSION,    NEW,     A,        None,  "payment.action_required"),
    Step(Action.CREATE,  Result.REVIEW,     NEW,     A),
    Step(Action.CREATE,  Result.CHECKOUT,   NEW,     P,        None,  "payment.updated"),
    Step(Action.CREATE,  Result.AUTHORIZED, NEW,     U,        None,  "payment.authorized"),
    Step(Action.CREATE,  Result.DONE,       NEW,     PAID,     paid,  "payment.paid"),
    Step(Action.CREATE,  Result.DECLINED,   NEW,     FAILED,   None,  "payment.failed"),
    Step(Action.PREPARE, Result.WAITING,    (P,),    P,        None,  "payment.updated"),
    Step(Action.PREPARE, Result.SESSION,    (P,),    A,        None,  "payment.action_required"),
    Step(Action.PREPARE, Result.CHECKOUT,   (P,),    P,        None,  "payment.updated"),
    Step(Action.PREPARE, Result.REVIEW,     (P,),    A),
    Step(Action.PREPARE, Result.AUTHORIZED, (P,),    U,        None,  "payment.authorized"),
    Step(Action.PREPARE, Result.DONE,       (P,),    PAID,     paid,  "payment.paid"),
    Step(Action.PREPARE, Result.UNKNOWN,    (P,),    P),
    Step(Action.PREPARE, Result.DECLINED,   (P,),    FAILED,   None,  "payment.failed"),
    Step(Action.REVIEW,  Result.CLEARED,    (A,),    P,        None,  "payment.updated"),
    Step(Action.REVIEW,  Result.DECLINED,   (A,),    FAILED,   None,  "payment.failed"),
    Step(Action.PAY,     Result.DONE,       (P, A),  PAID,     paid,  "payment.paid"),
    Step(Action.PAY,     Result.DECLINED,   (P, A),  FAILED,   None,  "payment.failed"),
    Step(Action.PAY,     Result.AUTHORIZED, (A,),    U,        None,  "payment.authorized"),
    Step(Action.PAY,     Result.UNKNOWN,    (A,),    P,        None,  "payment.updated"),
    Step(Action.PAY,     Result.CHALLENGE,  (A,),    A),
    Step(Action.CAPTURE, Result.DONE,       (U,),    PAID,     paid,  "payment.paid"),
    Step(Action.CAPTURE, Result.DECLINED,   (U,),    FAILED,   None,  "payment.failed"),
    Step(Action.EXPIRE,  Result.DONE,       (P, A, U), EXPIRED, None, "payment.expired"),
    Step(Action.REFUND,  Result.PARTLY,     (PAID,), PAID,     None,  "payment.updated"),
    Step(Action.REFUND,  Result.DONE,       (PAID,), REFUNDED, None,  "payment.refunded"),
)  # fmt: skip

_BY_QUESTION = {(step.asked, step.answered, source): step for step in STEPS for source in (step.sources or ("",))}


def open_question(payment: Payment) -> PaymentAction:
    """What the provider is asked about a payment that it has not answered for good."""
    if payment.status == Status.ACTION_REQUIRED:
        return PaymentAction.REVIEW
    if payment.status == Status.AUTHORIZED:
        return PaymentAction.CAPTURE
    return PaymentAction.PAY if payment.is_instructed else PaymentAction.PREPARE


def step(asked: PaymentAction, answered: PaymentResult, status: str) -> PaymentStep:
    """What this answer means for a payment in `status` (empty: a new one). ONP409_PAYMENT_STATE where nothing."""
    try:
        return _BY_QUESTION[asked, answered, status]
    except KeyError:
        raise PaymentState from None
