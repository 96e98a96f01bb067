"""The lifecycle of a payment. Read this table first."""

from collections.abc import Callable

from accounts.base.lifecycle import NEW, Table, Transition
from gateway.methods.rail import PaymentAction, PaymentResult
from gateway.payments import postings
from gateway.payments.errors import PaymentState
from gateway.payments.models import Payment, Status
from ledger.books.services import Move

PaymentAnswer = tuple[PaymentAction, PaymentResult]
"""An action and the provider's result."""


def when(
    asked: PaymentAction,
    answered: PaymentResult,
    sources: tuple[str, ...],
    target: Status,
    books: Callable[[Payment], list[Move]] | None = None,
    announces: str | None = None,
) -> Transition[PaymentAnswer, Payment]:
    """One row of the table. The transfer is named after the event."""
    events = (announces,) if announces else ()
    return Transition((asked, answered), sources, target, announces if books else None, books, events)


Action, Result = PaymentAction, PaymentResult
A, P, U = Status.ACTION_REQUIRED, Status.PENDING, Status.AUTHORIZED
PAID, FAILED, EXPIRED, REFUNDED = Status.PAID, Status.FAILED, Status.EXPIRED, Status.REFUNDED
paid = postings.paid

TRANSITIONS = (
    #    asked          answered             from     to        books  announced
    when(Action.CREATE,  Result.UNKNOWN,    NEW,     P),
    when(Action.CREATE,  Result.WAITING,    NEW,     P),
    when(Action.CREATE,  Result.SESSION,    NEW,     A,        None,  "payment.action_required"),
    when(Action.CREATE,  Result.REVIEW,     NEW,     A),
    when(Action.CREATE,  Result.CHECKOUT,   NEW,     P,        None,  "payment.updated"),
    when(Action.CREATE,  Result.AUTHORIZED, NEW,     U,        None,  "payment.authorized"),
    when(Action.CREATE,  Result.DONE,       NEW,     PAID,     paid,  "payment.paid"),
    when(Action.CREATE,  Result.DECLINED,   NEW,     FAILED,   None,  "payment.failed"),
    when(Action.PREPARE, Result.WAITING,    (P,),    P,        None,  "payment.updated"),
    when(Action.PREPARE, Result.SESSION,    (P,),    A,        None,  "payment.action_required"),
    when(Action.PREPARE, Result.CHECKOUT,   (P,),    P,        None,  "payment.updated"),
    when(Action.PREPARE, Result.REVIEW,     (P,),    A),
    when(Action.PREPARE, Result.AUTHORIZED, (P,),    U,        None,  "payment.authorized"),
    when(Action.PREPARE, Result.DONE,       (P,),    PAID,     paid,  "payment.paid"),
    when(Action.PREPARE, Result.UNKNOWN,    (P,),    P),
    when(Action.PREPARE, Result.DECLINED,   (P,),    FAILED,   None,  "payment.failed"),
    when(Action.REVIEW,  Result.CLEARED,    (A,),    P,        None,  "payment.updated"),
    when(Action.REVIEW,  Result.DECLINED,   (A,),    FAILED,   None,  "payment.failed"),
    when(Action.AUTHORIZE, Result.AUTHORIZED, (P, A), U,       None,  "payment.authorized"),
    when(Action.AUTHORIZE, Result.CHALLENGE, (A,),   A),
    when(Action.AUTHORIZE, Result.UNKNOWN,  (A,),    P,        None,  "payment.updated"),
    when(Action.AUTHORIZE, Result.WAITING,  (P,),    A,        None,  "payment.action_required"),
    when(Action.AUTHORIZE, Result.REFUSED,  (P, A),  P),  # and voided, before it is FAILED
    when(Action.PAY,     Result.DONE,       (P, A, U), PAID,   paid,  "payment.paid"),
    when(Action.PAY,     Result.DECLINED,   (P, A, U), FAILED, None,  "payment.failed"),
    when(Action.CAPTURE, Result.DONE,       (U,),    PAID,     paid,  "payment.paid"),
    when(Action.CAPTURE, Result.DECLINED,   (U,),    FAILED,   None,  "payment.failed"),
    when(Action.EXPIRE,  Result.DONE,       (P, A, U), EXPIRED, None, "payment.expired"),
    when(Action.ASSIGN,  Result.DONE,       (P, A, EXPIRED, FAILED), PAID, paid, "payment.paid"),
    when(Action.REFUND,  Result.PARTLY,     (PAID,), PAID,     None,  "payment.updated"),
    when(Action.REFUND,  Result.DONE,       (PAID,), REFUNDED, None,  "payment.refunded"),
)  # fmt: skip

PAYMENT_LIFE = Table(
    tuple((asked, answered) for asked in PaymentAction for answered in PaymentResult), Status, PaymentState, TRANSITIONS
)


def open_question(payment: Payment) -> PaymentAction:
    """The question to ask the provider about a payment without a final answer."""
    if payment.status == Status.ACTION_REQUIRED and "session" not in payment.details:
        return PaymentAction.REVIEW
    if payment.status == Status.AUTHORIZED:
        return PaymentAction.CAPTURE
    return PaymentAction.PAY if payment.is_instructed else PaymentAction.PREPARE
