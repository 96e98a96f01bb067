"""Questions to the provider of a payment: put outside any transaction, and what follows from the answers."""

from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import structlog
from django.db import transaction

from accounts.base import clock
from accounts.base.errors import MethodRefusal
from accounts.cells import where_it_lives_now
from accounts.models import Merchant
from gateway.methods.errors import InvalidResponse, RailUnavailable
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import authorizations, failover, other_money
from gateway.payments.answers import MONEY, NOTHING_HAPPENED, apply, apply_first, notice_money
from gateway.payments.calls import Answer, Question, begin_to_ask, is_over, prepare, question_of
from gateway.payments.errors import PaymentState
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.payments.provider import is_other_money, lock, order_of, rail_of, save
from gateway.providers.asking import is_leased, poll_after_s

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """How a new payment can be paid, as the account of then has said."""

    payment_id: str
    account_id: str | None
    outcome: PaymentOutcome


def ask_and_take(merchant: Merchant, question: Question) -> Payment:
    """Puts the question and applies the answer, and what follows at once. Never call it inside a transaction."""
    return take_and_go_on(merchant, question, question.put())


def take_and_go_on(merchant: Merchant, question: Question, answer: Answer) -> Payment:
    """Applies the answer. What follows at once is asked by the same process: the next provider after a definite
    refusal, the capture of what was authorized, the withdrawal of what must not be charged.

    Never call it inside a transaction.
    """
    while True:
        payment, following = where_it_lives_now(merchant, partial(_take, merchant, question, answer))
        if following is None:
            return payment
        question, answer = following, following.put()


def ask(payment: Payment) -> FirstAnswer:
    """Asks the provider of a stored payment how it can be paid; the next one after a definite refusal.

    Never call it inside a transaction. Raises ONP502_<METHOD>_INVALID_RESPONSE and
    ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE, naming the payment: then the provider is asked again later.
    """
    if payment.account is None:
        return FirstAnswer(payment.id, None, _ask_simulator(payment))
    merchant, question = payment.merchant, question_of(payment, PaymentAction.PREPARE)
    while True:
        answer = question.put()
        outcome, is_wrong = answer.outcome, is_other_money(payment, answer.outcome)
        if not is_wrong and outcome.answered not in (PaymentResult.UNKNOWN, *NOTHING_HAPPENED):
            return FirstAnswer(payment.id, question.account_id, outcome)
        payment, following = where_it_lives_now(merchant, partial(_take, merchant, question, answer))
        if not payment.is_unanswered:
            return FirstAnswer(payment.id, question.account_id, outcome)
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
def answer(merchant: Merchant, first: FirstAnswer) -> Payment:
    """Applies the provider's answer, unless the payment ended in the meantime. Raises ONP404_PAYMENT, and
    ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE if another account has taken an unanswered payment over.
    """
    payment, outcome = lock(merchant, first.payment_id), first.outcome
    at = clock.now(merchant)
    if payment.account_id != first.account_id:
        return _answered_elsewhere(payment, first)
    if not payment.is_unanswered:
        notice_money(payment, outcome, at)
        return payment
    payment.leased_until = None
    try:
        payment = apply_first(payment, outcome, at)
        notice_money(payment, outcome, at)
        return payment
    except PaymentState as unforeseen:  # must not be stored as the answer to retries
        log.critical("payment.answered_unforeseen", payment=payment.id, answered=outcome.answered)
        raise InvalidResponse(payment.method, paymentId=payment.id) from unforeseen


def _answered_elsewhere(payment: Payment, first: FirstAnswer) -> Payment:
    """Nothing that this account says is about the payment any more. Money there is for people."""
    if first.outcome.answered in MONEY:
        log.critical(
            "payment.told_elsewhere", payment=payment.id, account=first.account_id, told=first.outcome.answered
        )
    if payment.is_unanswered:
        raise RailUnavailable(payment.method, paymentId=payment.id)
    return payment


@transaction.atomic(savepoint=False)
def resume(merchant: Merchant, payment_id: str) -> Payment:
    """The payment that a repeated request created; if it is still unanswered the provider may be asked once more.

    Raises ONP404_PAYMENT, and ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE while another process asks the provider, or once
    nobody waits for the payment any more: then it is being withdrawn there, and never offered again.
    """
    payment, at = lock(merchant, payment_id), clock.now(merchant)
    if payment.is_unanswered:
        if is_leased(payment) or (payment.account_id and is_over(payment, at)):
            raise RailUnavailable(payment.method, paymentId=payment.id)
        payment.asked_times += 1
        if payment.account_id:
            begin_to_ask(payment, at)
        else:
            save(payment)
    return payment


@transaction.atomic
def _take(merchant: Merchant, question: Question, answer: Answer) -> tuple[Payment, Question | None]:
    """Applies an answer, and what the caller asks next, under a lease of its own.

    A late answer without an outcome, after a newer call, changes nothing: the lease is that of the newer call.
    """
    payment, at = lock(merchant, question.payment_id), clock.now(merchant)
    if payment.account_id != question.account_id:
        return payment, _said_elsewhere(payment, question, answer, at)
    if payment.status not in UNDECIDED:
        return _ended_before(payment, question, answer, at), None
    is_own = payment.leased_until == question.leased_until
    if not (is_own or _is_news(payment, answer)):
        return payment, None
    if is_own:
        payment.leased_until = None
    before = copy(payment)
    hinted = payment.ask_at if payment.ask_at != question.ask_at else None
    payment = apply(payment, answer, at)
    if answer.about != PaymentAction.CANCEL:
        notice_money(payment, answer.outcome, at)
    if hinted and payment.ask_at and hinted < payment.ask_at:  # a message of the provider came meanwhile
        payment.ask_at = hinted
        save(payment)
    return payment, prepare(payment, at) if is_own and _goes_on(payment, before, answer, at) else None


def _said_elsewhere(payment: Payment, question: Question, answer: Answer, at: datetime) -> Question | None:
    """Another account takes the payment now. Of this one only money is of interest: what it has authorized after all is
    voided there, what it has charged is held, and people are told.
    """
    answered = answer.outcome.answered
    if answer.about == PaymentAction.CANCEL or answered not in MONEY:
        return None
    log.critical("payment.told_elsewhere", payment=payment.id, account=question.account_id, told=answered)
    if question.account_id != failover.former_account(payment):
        return None
    before = failover.as_before(payment)
    if answered == PaymentResult.DONE:
        other_money.hold_all(before, answer.outcome, at)
        return None
    if question.about == PaymentAction.CANCEL:  # refused, and still authorized
        return None
    before.rail_reference = answer.outcome.reference or before.rail_reference
    return question_of(before, PaymentAction.CANCEL)


def _goes_on(payment: Payment, before: Payment, answer: Answer, at: datetime) -> bool:
    """Whether the answer led to something else to ask at once."""
    if payment.status not in UNDECIDED or payment.ask_at is None or payment.ask_at > at:
        return False
    is_authorized = payment.status == Status.AUTHORIZED and answer.outcome.answered == PaymentResult.AUTHORIZED
    is_withdrawn = authorizations.is_withdrawn(payment) and not authorizations.is_withdrawn(before)
    is_elsewhere = payment.account_id != before.account_id and not is_over(payment, at)
    return is_authorized or is_withdrawn or is_elsewhere


def _is_news(payment: Payment, answer: Answer) -> bool:
    """Whether a late answer says something that a newer call may not know yet: money, but not twice the same."""
    if answer.about == PaymentAction.CANCEL or answer.outcome.answered not in MONEY:
        return False
    if answer.outcome.answered == PaymentResult.AUTHORIZED and authorizations.is_withdrawn(payment):
        return False
    return (payment.status, answer.outcome.answered) != (Status.AUTHORIZED, PaymentResult.AUTHORIZED)


def _ended_before(payment: Payment, question: Question, answer: Answer, at: datetime) -> Payment:
    """Only money is of interest now. A provider that gave no answer about it is asked again."""
    if answer.about != PaymentAction.CANCEL:
        notice_money(payment, answer.outcome, at)
    if answer.about == PaymentAction.PAY and payment.leased_until == question.leased_until:
        is_unanswered = answer.outcome.answered == PaymentResult.UNKNOWN
        again = at + timedelta(seconds=poll_after_s(at - payment.created_at)) if is_unanswered else None
        payment.leased_until, payment.ask_at = None, again
        save(payment)
    return payment
