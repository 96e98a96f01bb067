"""What a provider's answer changes in a payment, whoever asked."""

from datetime import datetime

import structlog

from gateway.methods.errors import InvalidResponse
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import authorizations, failover, other_money
from gateway.payments.calls import Answer
from gateway.payments.errors import PaymentState
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.payments.provider import ask_later, capture_if_authorized, finish, save, unclear
from gateway.providers.asking import settle_outcome

log = structlog.get_logger()
NOTHING_HAPPENED = (PaymentResult.REFUSED, PaymentResult.NOT_RECEIVED)
MONEY = (PaymentResult.AUTHORIZED, PaymentResult.DONE)
_OF_THE_CARD = (PaymentAction.AUTHORIZE, PaymentAction.PAY)


def apply(payment: Payment, answer: Answer, at: datetime) -> Payment:
    """Applies an answer about a payment that is undecided and locked."""
    about, outcome = answer.about, answer.outcome
    if _is_other_money(payment, answer) and other_money.hold(payment, outcome, at):
        return _after_other_money(payment, at)
    if about == PaymentAction.PREPARE and outcome.answered in NOTHING_HAPPENED:
        return failover.turn_elsewhere(payment, outcome, at)
    if about == PaymentAction.CANCEL and outcome.answered in (PaymentResult.DONE, PaymentResult.NOT_RECEIVED):
        return failover.move(payment, at) or authorizations.voided(payment, at)
    if is_of_a_card(payment, answer):
        return _card_taken(payment, answer, at)
    if about == PaymentAction.PAY and outcome.answered == PaymentResult.WAITING:
        settle_outcome(payment)
        ask_later(payment, at)
        save(payment)
        return payment
    if outcome.answered == PaymentResult.UNKNOWN:
        return unclear(payment, at)
    try:
        return capture_if_authorized(finish(payment, about, outcome, at))
    except (PaymentState, InvalidResponse):
        return _unforeseen(payment, outcome, at)


def apply_first(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    """Applies what the provider said when it was asked how the payment can be paid. Raises PaymentState."""
    if is_of_a_card(payment, Answer(PaymentAction.PREPARE, outcome)):
        return authorizations.take(payment, outcome, at) or payment
    return capture_if_authorized(finish(payment, PaymentAction.PREPARE, outcome, at))


def is_of_a_card(payment: Payment, answer: Answer) -> bool:
    """Whether it says what became of a card at an acquirer; also where it was asked for the fields only."""
    if not authorizations.is_at_acquirer(payment):
        return False
    return answer.about in _OF_THE_CARD or answer.outcome.answered in MONEY


def _card_taken(payment: Payment, answer: Answer, at: datetime) -> Payment:
    """A confirmation without a clear answer is pending; a query about it changes nothing."""
    outcome = answer.outcome
    is_confirmation = answer.about == PaymentAction.AUTHORIZE
    if outcome.answered == PaymentResult.UNKNOWN and not (is_confirmation and payment.status == Status.ACTION_REQUIRED):
        return unclear(payment, at)
    if is_confirmation and payment.status == Status.AUTHORIZED and outcome.answered != PaymentResult.DONE:
        save(payment)  # a message was faster, perhaps about another card in the same fields
        return payment
    try:
        return authorizations.take(payment, outcome, at) or _unforeseen(payment, outcome, at)
    except (PaymentState, InvalidResponse):
        return _unforeseen(payment, outcome, at)


def _unforeseen(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    log.critical("payment.answered_unforeseen", payment=payment.id, answered=outcome.answered)
    return unclear(payment, at)


def _is_other_money(payment: Payment, answer: Answer) -> bool:
    """Whether money has arrived, and none of it pays the payment."""
    return answer.about != PaymentAction.CANCEL and other_money.is_all(payment, answer.outcome)


def _after_other_money(payment: Payment, at: datetime) -> Payment:
    """It can still be paid, until its time is over."""
    if payment.expires_at is not None and payment.expires_at <= at:
        return finish(payment, PaymentAction.EXPIRE, PaymentOutcome(PaymentResult.DONE), at)
    settle_outcome(payment)
    ask_later(payment, at)
    save(payment)
    return payment


def notice_money(payment: Payment, outcome: PaymentOutcome, at: datetime) -> None:
    """Money that does not pay the payment is held. What cannot be held must be returned by people."""
    is_held = other_money.hold(payment, outcome, at)
    is_authorized_late = outcome.answered == PaymentResult.AUTHORIZED and payment.status not in UNDECIDED
    if not is_held or (is_authorized_late and payment.paid_at is None):
        log.critical("payment.answered_too_late", payment=payment.id, rail_reference=outcome.reference)
