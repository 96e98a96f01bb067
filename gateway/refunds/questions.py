"""Questions to the provider of a refund: recorded, put outside any transaction, and the answer applied."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog
from django.db import transaction

from accounts.base import clock
from accounts.cells import where_it_lives_now
from accounts.models import Merchant
from gateway.methods.rail import Clawback, PaymentOutcome, PaymentResult
from gateway.payments.provider import rail_of
from gateway.providers.asking import is_overdue
from gateway.providers.errors import CallFailed
from gateway.providers.restored import claim
from gateway.providers.returning import NOT_RETURNED, Question, ask_again, record
from gateway.refunds.clawbacks import enter, is_known
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Refund, Status
from gateway.refunds.provider import ACQUIRER_REFUSED, about, order_of, take
from gateway.refunds.services import lock
from gateway.suspense.holding import hold_what_came_back

log = structlog.get_logger()


def prepare(refund: Refund, at: datetime) -> Question:
    """Records the next call to the provider before it is made.

    Call it in a transaction that has locked the refund and its payment.
    """
    if refund.sent_at is None and refund.account_id:
        claim(refund.id, refund.merchant, about(refund))
    return record(refund, order_of, rail_of(refund.payment), at)


def ask_and_take(merchant: Merchant, question: Question) -> None:
    """Puts the question and applies the answer. Never call it inside a transaction."""
    answer = _put(question)
    where_it_lives_now(merchant, partial(_take, merchant, question, answer))


def look(refund: Refund) -> None:
    """Queries a completed refund once more: the payer's bank may send it back days later.

    The refund stays as it is, and money that is back is held in suspense until people decide. Never call it inside a
    transaction. Raises NotSent and Unclear.
    """
    order = order_of(refund)
    told = rail_of(refund.payment).ask_refund(order, clock.now(refund.merchant))
    if told.answered in NOT_RETURNED:
        log.critical("refund.told_otherwise", refund=refund.id, told=told.answered, reference=told.reference)
        if refund.account:
            hold_what_came_back(order, told, refund.account, refund.payment)


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's answer, and what it has taken back itself."""

    outcome: PaymentOutcome
    clawbacks: tuple[Clawback, ...] = ()


def _put(question: Question) -> Answer:
    """A claim is not sent while the provider itself takes the money back, nor refused because it has done so."""
    refund = Refund.objects.get(pk=question.row_id)
    if refund.is_med and question.is_new:
        found = _clawbacks(refund, question)
        if found is None or found:
            return Answer(PaymentOutcome(PaymentResult.NOT_RECEIVED), found or ())
    outcome = question.put()
    if outcome.answered not in NOT_RETURNED:
        return Answer(outcome)
    found = _clawbacks(refund, question)
    if not refund.is_med or found == ():
        return Answer(outcome, found or ())
    return Answer(PaymentOutcome(PaymentResult.NOT_RECEIVED if found else PaymentResult.UNKNOWN), found or ())


def _clawbacks(refund: Refund, question: Question) -> tuple[Clawback, ...] | None:
    """What the provider has taken back, or is taking back, and is not recorded. None: it did not say."""
    money = question.order.payment_reference
    try:
        told = question.rail.clawbacks(money) if money else ()
    except CallFailed as failed:
        log.warning("refund.clawbacks_unknown", account=refund.account_id, money=money, reason=failed.reason)
        return None
    return tuple(one for one in told if not is_known(refund.payment_id, one))


@transaction.atomic
def _take(merchant: Merchant, question: Question, answer: Answer) -> None:
    """A late answer without an outcome, after a newer call, changes nothing."""
    refund, at, outcome = lock(merchant, question.row_id), clock.now(merchant), answer.outcome
    if refund.status != Status.PROCESSING:
        if outcome.answered == PaymentResult.DONE and refund.status != Status.COMPLETED:
            log.critical("refund.answered_too_late", refund=refund.id, reference=outcome.reference)
        return
    if refund.leased_until != question.leased_until and outcome.answered != PaymentResult.DONE:
        return
    refund.leased_until = None
    _apply(refund, outcome, at)
    enter(refund.payment, answer.clawbacks, at)


@transaction.atomic
def believe(merchant: Merchant, refund_id: str, told: PaymentOutcome) -> None:
    """Applies an answer that nobody asked for, of a provider that is believed: in any order, and repeated.

    What contradicts the refund changes nothing: people look it up.
    """
    refund, at = lock(merchant, refund_id), clock.now(merchant)
    if _contradicts(refund, told):
        log.critical("refund.told_otherwise", refund=refund.id, told=told.answered, reference=told.reference)
    elif refund.status == Status.PROCESSING:
        _apply(refund, told, at)


def _contradicts(refund: Refund, told: PaymentOutcome) -> bool:
    """Whether it is of another amount, was never sent, or ended in another way."""
    if told.amount is not None and (told.amount, told.currency) != (refund.amount_exact, refund.currency):
        return True
    if refund.status == Status.PROCESSING:
        return refund.sent_at is None
    return (told.answered == PaymentResult.DONE) != (refund.status == Status.COMPLETED)


def _apply(refund: Refund, outcome: PaymentOutcome, at: datetime) -> None:
    if outcome.answered == PaymentResult.DONE:
        refund.ask_at, refund.end_to_end_id = None, outcome.reference
        take(refund, RefundAction.DONE, at)
    elif outcome.answered in NOT_RETURNED:
        refund.ask_at = None
        refund.failure_code, refund.failure_message = outcome.failure or ACQUIRER_REFUSED
        take(refund, RefundAction.DECLINED, at)
    else:
        ask_again(refund, outcome, at)
        if is_overdue(refund, at):
            log.critical("refund.unclear_past_deadline", refund=refund.id, since=refund.unclear_since)
