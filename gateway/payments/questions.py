"""Questions to the provider of a payment: put outside any transaction, and the answer applied."""

from copy import copy
from datetime import datetime, timedelta
from functools import partial

import structlog
from django.db import transaction

from accounts.base import clock
from accounts.base.errors import MethodRefusal
from accounts.base.rows import retry_on_deadlock
from accounts.models import Merchant
from gateway.methods.errors import InvalidResponse, RailUnavailable
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import authorizations, other_money
from gateway.payments.calls import Answer, Question, is_over, prepare, question_of
from gateway.payments.errors import PaymentState
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.payments.provider import (
    ask_later,
    capture_if_authorized,
    finish,
    is_other_money,
    lock,
    order_of,
    rail_of,
    save,
)
from gateway.providers.asking import (
    LEASE,
    is_leased,
    is_overdue,
    keep_unclear,
    lease,
    poll_after_s,
    settle_outcome,
)
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import route

log = structlog.get_logger()
REFUSED_BY_ALL = ("PROVIDER_REFUSED", "No provider accepted the payment.")
UNREACHED_FOR = timedelta(minutes=1)
"""Until the providers are asked again if none could be reached."""
_NOTHING_HAPPENED = (PaymentResult.REFUSED, PaymentResult.NOT_RECEIVED)
_MONEY = (PaymentResult.AUTHORIZED, PaymentResult.DONE)
_OF_THE_CARD = (PaymentAction.AUTHORIZE, PaymentAction.PAY)


def ask_and_take(merchant: Merchant, question: Question) -> Payment:
    """Puts the question and applies the answer, and what follows at once. Never call it inside a transaction."""
    return take_and_go_on(merchant, question, question.put())


def take_and_go_on(merchant: Merchant, question: Question, answer: Answer) -> Payment:
    """Applies the answer. What follows at once is asked by the same process: the next provider after a definite
    refusal, the capture of what was authorized, the withdrawal of what must not be charged.

    Never call it inside a transaction.
    """
    while True:
        payment, following = retry_on_deadlock(partial(_take, merchant, question, answer))
        if following is None:
            return payment
        question, answer = following, following.put()


def ask(payment: Payment) -> PaymentOutcome:
    """Asks the provider of a stored payment how it can be paid; the next one after a definite refusal.

    Never call it inside a transaction. Raises ONP502_<METHOD>_INVALID_RESPONSE and
    ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE, naming the payment: then the provider is asked again later.
    """
    if payment.account is None:
        return _ask_simulator(payment)
    question = question_of(payment, PaymentAction.PREPARE)
    while True:
        answer = question.put()
        outcome, is_wrong = answer.outcome, is_other_money(payment, answer.outcome)
        if not is_wrong and outcome.answered not in (PaymentResult.UNKNOWN, *_NOTHING_HAPPENED):
            return outcome
        payment, following = retry_on_deadlock(partial(_take, payment.merchant, question, answer))
        if not payment.is_unanswered:
            return outcome
        if following is None:
            refusal = InvalidResponse if is_wrong else RailUnavailable
            raise refusal(payment.method, paymentId=payment.id)
        question = following


def _ask_simulator(payment: Payment) -> PaymentOutcome:
    try:
        return rail_of(payment).instruct(order_of(payment))
    except MethodRefusal as refusal:
        refusal.details["paymentId"] = payment.id
        raise


@transaction.atomic(savepoint=False)
def answer(merchant: Merchant, payment_id: str, outcome: PaymentOutcome) -> Payment:
    """Applies the provider's answer, unless the payment ended in the meantime. Raises ONP404_PAYMENT."""
    payment = lock(merchant, payment_id)
    at = clock.now(merchant)
    if not payment.is_unanswered:
        _notice_money(payment, outcome, at)
        return payment
    payment.leased_until = None
    try:
        payment = _answered(payment, outcome, at)
        _notice_money(payment, outcome, at)
        return payment
    except PaymentState as unforeseen:  # must not be stored as the answer to retries
        log.critical("payment.answered_unforeseen", payment=payment.id, answered=outcome.answered)
        raise InvalidResponse(payment.method, paymentId=payment.id) from unforeseen


def _answered(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    if _is_of_a_card(payment, Answer(PaymentAction.PREPARE, outcome)):
        return authorizations.take(payment, outcome, at) or payment
    return capture_if_authorized(finish(payment, PaymentAction.PREPARE, outcome, at))


@transaction.atomic(savepoint=False)
def resume(merchant: Merchant, payment_id: str) -> Payment:
    """The payment that a repeated request created; if it is still unanswered the provider may be asked once more.

    Raises ONP404_PAYMENT, and ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE while another process asks the provider.
    """
    payment = lock(merchant, payment_id)
    if payment.is_unanswered:
        if is_leased(payment):
            raise RailUnavailable(payment.method, paymentId=payment.id)
        payment.asked_times += 1
        if payment.account_id:
            lease(payment)
            payment.ask_at = clock.now(merchant) + LEASE
        save(payment)
    return payment


@transaction.atomic
def _take(merchant: Merchant, question: Question, answer: Answer) -> tuple[Payment, Question | None]:
    """Applies an answer, and what the caller asks next, under a lease of its own.

    A late answer without an outcome, after a newer call, changes nothing: the lease is that of the newer call.
    """
    payment, at = lock(merchant, question.payment_id), clock.now(merchant)
    if payment.status not in UNDECIDED:
        return _ended_before(payment, question, answer, at), None
    is_own = payment.leased_until == question.leased_until
    if not (is_own or _is_news(payment, answer)):
        return payment, None
    if is_own:
        payment.leased_until = None
    before = copy(payment)
    hinted = payment.ask_at if payment.ask_at != question.ask_at else None
    payment = _applied(payment, answer, at)
    if answer.about != PaymentAction.CANCEL:
        _notice_money(payment, answer.outcome, at)
    if hinted and payment.ask_at and hinted < payment.ask_at:  # a message of the provider came meanwhile
        payment.ask_at = hinted
        save(payment)
    return payment, prepare(payment, at) if is_own and _goes_on(payment, before, answer, at) else None


def _goes_on(payment: Payment, before: Payment, answer: Answer, at: datetime) -> bool:
    """Whether the answer led to something else to ask at once."""
    if payment.status not in UNDECIDED or payment.ask_at is None or payment.ask_at > at:
        return False
    is_authorized = payment.status == Status.AUTHORIZED and answer.outcome.answered == PaymentResult.AUTHORIZED
    is_withdrawn = authorizations.is_withdrawn(payment) and not authorizations.is_withdrawn(before)
    is_elsewhere = payment.account_id != before.account_id and not is_over(payment, at)
    return is_authorized or is_withdrawn or is_elsewhere


@transaction.atomic
def believe(merchant: Merchant, payment_id: str, told: Answer) -> Payment:
    """Applies an answer that nobody asked for, of a provider that is believed: in any order, and repeated.

    What contradicts money that was authorized or paid changes nothing: people look it up.
    """
    payment, at = lock(merchant, payment_id), clock.now(merchant)
    answer = Answer(told.about, rail_of(payment).heard(order_of(payment), told.outcome))
    if _contradicts(payment, answer):
        log.critical("payment.told_otherwise", payment=payment.id, about=answer.about, told=answer.outcome.answered)
        return payment
    if _is_known(payment, answer):
        return payment
    if answer.about == PaymentAction.EXPIRE:  # as if we had canceled it
        answer = Answer(PaymentAction.CANCEL, answer.outcome)
    if payment.status in UNDECIDED:
        payment = _applied(payment, answer, at)
    if answer.outcome.answered in _MONEY and answer.about != PaymentAction.CANCEL:
        _notice_money(payment, answer.outcome, at)
    return payment


def _contradicts(payment: Payment, answer: Answer) -> bool:
    """Whether it denies money that an earlier answer has promised, or is about a second authorization.

    What becomes of the second one ends nothing: the first can still be captured.
    """
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


def _is_news(payment: Payment, answer: Answer) -> bool:
    """Whether a late answer says something that a newer call may not know yet: money, but not twice the same."""
    if answer.about == PaymentAction.CANCEL or answer.outcome.answered not in _MONEY:
        return False
    if answer.outcome.answered == PaymentResult.AUTHORIZED and authorizations.is_withdrawn(payment):
        return False
    return (payment.status, answer.outcome.answered) != (Status.AUTHORIZED, PaymentResult.AUTHORIZED)


def _ended_before(payment: Payment, question: Question, answer: Answer, at: datetime) -> Payment:
    """Only money is of interest now. A provider that gave no answer about it is asked again."""
    if answer.about != PaymentAction.CANCEL:
        _notice_money(payment, answer.outcome, at)
    if answer.about == PaymentAction.PAY and payment.leased_until == question.leased_until:
        is_unanswered = answer.outcome.answered == PaymentResult.UNKNOWN
        again = at + timedelta(seconds=poll_after_s(at - payment.created_at)) if is_unanswered else None
        payment.leased_until, payment.ask_at = None, again
        save(payment)
    return payment


def _applied(payment: Payment, answer: Answer, at: datetime) -> Payment:
    about, outcome = answer.about, answer.outcome
    if _is_other_money(payment, answer) and other_money.hold(payment, outcome, at):
        return _after_other_money(payment, at)
    if about == PaymentAction.PREPARE and outcome.answered in _NOTHING_HAPPENED:
        return _ask_elsewhere(payment, outcome, at)
    if about == PaymentAction.CANCEL and outcome.answered in (PaymentResult.DONE, PaymentResult.NOT_RECEIVED):
        return authorizations.voided(payment, at)
    if _is_of_a_card(payment, answer):
        return _card_taken(payment, answer, at)
    if about == PaymentAction.PAY and outcome.answered == PaymentResult.WAITING:
        settle_outcome(payment)
        ask_later(payment, at)
        save(payment)
        return payment
    if outcome.answered == PaymentResult.UNKNOWN:
        return _unclear(payment, at)
    try:
        return capture_if_authorized(finish(payment, about, outcome, at))
    except (PaymentState, InvalidResponse):
        return _unforeseen(payment, outcome, at)


def _is_of_a_card(payment: Payment, answer: Answer) -> bool:
    """Whether it says what became of a card at an acquirer; also where it was asked for the fields only."""
    if not authorizations.is_at_acquirer(payment):
        return False
    return answer.about in _OF_THE_CARD or answer.outcome.answered in _MONEY


def _card_taken(payment: Payment, answer: Answer, at: datetime) -> Payment:
    """A confirmation without a clear answer is pending; a query about it changes nothing."""
    outcome = answer.outcome
    is_confirmation = answer.about == PaymentAction.AUTHORIZE
    if outcome.answered == PaymentResult.UNKNOWN and not (is_confirmation and payment.status == Status.ACTION_REQUIRED):
        return _unclear(payment, at)
    if is_confirmation and payment.status == Status.AUTHORIZED and outcome.answered != PaymentResult.DONE:
        save(payment)  # a message was faster, perhaps about another card in the same fields
        return payment
    try:
        return authorizations.take(payment, outcome, at) or _unforeseen(payment, outcome, at)
    except (PaymentState, InvalidResponse):
        return _unforeseen(payment, outcome, at)


def _unforeseen(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    log.critical("payment.answered_unforeseen", payment=payment.id, answered=outcome.answered)
    return _unclear(payment, at)


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


def _unclear(payment: Payment, at: datetime) -> Payment:
    keep_unclear(payment, at)
    save(payment)
    if is_overdue(payment, at):
        log.critical("payment.unclear_past_deadline", payment=payment.id, since=payment.unclear_since)
    return payment


def _ask_elsewhere(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    """Nothing has happened at this provider: the next one is asked. Without one it has failed, or waits for the first.

    An order that was possibly sent before may still arrive there: then only a refusal is definite.
    """
    is_refused = outcome.answered == PaymentResult.REFUSED
    if not is_refused and (payment.unclear_since or payment.asked_times > 1):
        return _unclear(payment, at)
    accounts = route(payment.merchant, payment.method, payment.currency)
    settle_outcome(payment)
    if following := _after(payment.account_id, accounts):
        payment.account, payment.asked_times, payment.ask_at = following, 0, at
    elif is_refused:
        failure = outcome.failure or REFUSED_BY_ALL
        return finish(payment, PaymentAction.PREPARE, PaymentOutcome(PaymentResult.DECLINED, failure=failure), at)
    else:
        payment.account, payment.asked_times = accounts[0] if accounts else payment.account, 0
        payment.ask_at = at + UNREACHED_FOR
    save(payment)
    return payment


def _after(account_id: str | None, accounts: list[ProviderAccount]) -> ProviderAccount | None:
    known = [account.pk for account in accounts]
    if account_id not in known:
        return None
    return next(iter(accounts[known.index(account_id) + 1 :]), None)


def _notice_money(payment: Payment, outcome: PaymentOutcome, at: datetime) -> None:
    """Money that does not pay the payment is held. What cannot be held must be returned by people."""
    is_held = other_money.hold(payment, outcome, at)
    is_authorized_late = outcome.answered == PaymentResult.AUTHORIZED and payment.status not in UNDECIDED
    if not is_held or (is_authorized_late and payment.paid_at is None):
        log.critical("payment.answered_too_late", payment=payment.id, rail_reference=outcome.reference)
