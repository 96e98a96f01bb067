"""What providers tell that are believed: those that cannot be queried about a payment."""

import structlog
from django.db import transaction

from accounts.base import clock
from accounts.models import Merchant
from gateway.methods.rail import PaymentAction, PaymentResult
from gateway.payments import authorizations
from gateway.payments.answers import MONEY, apply, notice_money
from gateway.payments.calls import Answer
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.payments.provider import lock, order_of, rail_of

log = structlog.get_logger()
_RELEASED = (PaymentAction.CANCEL, PaymentAction.EXPIRE)


@transaction.atomic
def believe(merchant: Merchant, payment_id: str, account_id: str, told: Answer) -> Payment:
    """Applies an answer that nobody asked for, of a provider that is believed: in any order, and repeated.

    What contradicts money that was authorized or paid changes nothing: people look it up. Neither does what an account
    says from which the payment has moved.
    """
    payment, at = lock(merchant, payment_id), clock.now(merchant)
    if payment.account_id != account_id:
        return payment
    answer = Answer(told.about, rail_of(payment).heard(order_of(payment), told.outcome))
    if _contradicts(payment, answer):
        log.critical("payment.told_otherwise", payment=payment.id, about=answer.about, told=answer.outcome.answered)
        return payment
    if _is_known(payment, answer):
        return payment
    if answer.about == PaymentAction.EXPIRE:  # as if we had canceled it
        answer = Answer(PaymentAction.CANCEL, answer.outcome)
    if payment.status in UNDECIDED:
        payment = apply(payment, answer, at)
    if answer.outcome.answered in MONEY and answer.about != PaymentAction.CANCEL:
        notice_money(payment, answer.outcome, at)
    return payment


def _contradicts(payment: Payment, answer: Answer) -> bool:
    """Whether it denies money that an earlier answer has promised, or is about a second authorization.

    What becomes of the second one ends nothing: the first can still be captured.
    """
    if authorizations.is_captured(payment):
        return answer.about in _RELEASED or answer.outcome.answered == PaymentResult.DECLINED
    is_same = answer.outcome.reference in (None, payment.rail_reference)
    if answer.about == PaymentAction.CANCEL:
        is_other = payment.status == Status.AUTHORIZED and not is_same
        return is_other or payment.status in (Status.PAID, Status.REFUNDED)
    if answer.outcome.answered == PaymentResult.DECLINED:
        is_of_money = is_same or answer.about == PaymentAction.CAPTURE
        return is_of_money and payment.status in (Status.AUTHORIZED, Status.PAID, Status.REFUNDED)
    if payment.status != Status.AUTHORIZED:
        return False
    return answer.about == PaymentAction.EXPIRE or (answer.about == PaymentAction.PAY and not is_same)


def _is_known(payment: Payment, answer: Answer) -> bool:
    """Whether it tells once more of an authorization, or of an attempt that failed before or after it."""
    is_authorized = payment.status == Status.AUTHORIZED or authorizations.is_withdrawn(payment)
    return is_authorized and answer.about == PaymentAction.PAY and answer.outcome.answered != PaymentResult.DONE
