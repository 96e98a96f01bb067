"""Calls to the provider of a payment, and their effects. Only `finish` changes a status."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction

from accounts.base import clock
from accounts.base.errors import MethodRefusal
from accounts.base.ids import is_well_formed
from accounts.base.rows import columns, execute, first, insert_into, table, values
from accounts.models import Merchant
from gateway.methods.card.rail import CardRail
from gateway.methods.errors import InvalidResponse, RailUnavailable
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.registry import rail_of
from gateway.methods.sandbox import SandboxRail
from gateway.payments import payloads
from gateway.payments.errors import (
    DuplicateReference,
    PaymentState,
)
from gateway.payments.lifecycle import PAYMENT_LIFE
from gateway.payments.models import Payment, Status
from gateway.payments.pricing import schedule, settle
from gateway.payments.selectors import owned
from gateway.vault.stored import stored
from ledger.books.services import post
from ledger.money import to_decimal
from webhooks.outbox import emit

log = structlog.get_logger()
_INSERT = f"""
    {insert_into(Payment)}
    ON CONFLICT (merchant_id, reference) WHERE NOT (status IN ('{Status.FAILED}', '{Status.EXPIRED}')) DO NOTHING
"""
_LIVE = f"""
    SELECT id FROM {table(Payment)}
     WHERE merchant_id = %s AND reference = %s AND status NOT IN ('{Status.FAILED}', '{Status.EXPIRED}')
"""
_LOCK = f"SELECT {columns(Payment)} FROM {table(Payment)} WHERE id = %s FOR NO KEY UPDATE"
_CHANGING = (
    "status", "method", "fee", "settlement_days", "advance_monthly_rate", "advance_minimum", "details",
    "refunded_amount", "rail_reference", "settlement_currency", "settlement_amount", "settlement_rate",
    "failure_code", "failure_message", "answered", "asked_times", "ask_at", "expires_at", "paid_at", "release_at",
    "updated_at",
)  # fmt: skip
_UPDATE = f"UPDATE {table(Payment)} SET {', '.join(f'{name} = %s' for name in _CHANGING)} WHERE id = %s"


def ask(payment: Payment) -> PaymentOutcome:
    """Asks the provider about a stored payment. Never call it inside a transaction.

    Raises ONP502_<METHOD>_INVALID_RESPONSE and ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE, naming the payment.
    """
    try:
        return rail_for(payment.merchant, payment.method, payment.currency).instruct(order_of(payment))
    except MethodRefusal as refusal:
        refusal.details["paymentId"] = payment.id
        raise


@transaction.atomic(savepoint=False)
def answer(merchant: Merchant, payment_id: str, outcome: PaymentOutcome) -> Payment:
    """Applies the provider's answer, unless the payment ended in the meantime. Raises ONP404_PAYMENT."""
    payment = lock(merchant, payment_id)
    if not payment.is_unanswered:
        if outcome.answered in (PaymentResult.AUTHORIZED, PaymentResult.DONE):  # it must be refunded
            log.critical("payment.answered_too_late", payment=payment.id, rail_reference=outcome.reference)
        return payment
    try:
        return capture_if_authorized(finish(payment, PaymentAction.PREPARE, outcome, clock.now(merchant)))
    except PaymentState as unforeseen:  # must not be stored as the answer to retries
        log.critical("payment.answered_unforeseen", payment=payment.id, answered=outcome.answered)
        raise InvalidResponse(payment.method, paymentId=payment.id) from unforeseen


@transaction.atomic(savepoint=False)
def resume(merchant: Merchant, payment_id: str) -> Payment:
    """The payment that a repeated request created; if it is still unanswered the provider may be asked once more.

    Raises ONP404_PAYMENT.
    """
    payment = lock(merchant, payment_id)
    if payment.is_unanswered:
        payment.asked_times += 1
        _save(payment, is_new=False)
    return payment


def capture_if_authorized(payment: Payment) -> Payment:
    """Captures an authorized payment, unless its capture is due later."""
    if payment.status != Status.AUTHORIZED or payment.ask_at is not None:
        return payment
    rail = simulator_of(payment)
    assert isinstance(rail, CardRail)
    return finish(payment, PaymentAction.CAPTURE, rail.capture(order_of(payment)), payment.updated_at)


def finish(payment: Payment, asked: PaymentAction, outcome: PaymentOutcome, at: datetime) -> Payment:
    """Applies an answer: saves, announces and posts in one transaction. The only place that changes a status.

    Call it in a transaction that has locked the payment. Raises ONP409_PAYMENT_STATE, and
    ONP502_<METHOD>_INVALID_RESPONSE if the answer is about a different amount.
    """
    _compare(payment, outcome)
    taken = PAYMENT_LIFE.transition((asked, outcome.answered), payment.status)
    payment.status = taken.target
    payment.details = {**payment.details, **outcome.details}
    payment.rail_reference = outcome.reference or payment.rail_reference
    payment.answered = outcome.answered != PaymentResult.UNKNOWN or payment.is_instructed
    payment.ask_at = None if outcome.ask_after_s is None else at + timedelta(seconds=outcome.ask_after_s)
    payment.updated_at = at
    if outcome.failure:
        payment.failure_code, payment.failure_message = outcome.failure
    if outcome.expires_after_s is not None:
        payment.expires_at = at + timedelta(seconds=outcome.expires_after_s)
    if taken.target == Status.PAID and payment.paid_at is None:
        settle(payment)
        payment.paid_at = at
        payment.release_at = at + timedelta(days=payment.settlement_days)
    _save(payment, is_new=not taken.sources)
    for kind in taken.announces:
        emit(payment.merchant, kind, payment.id, payloads.announced(payment), at)
    if taken.target == Status.PAID and taken.books and payment.settlement_days:
        schedule(payment)
    if taken.books:  # last: it locks the most contended rows
        posted = post(payment.merchant, str(taken.posts), payment.id, taken.books(payment), at)
        assert posted, "a status is reached once, and so are its books"
    return payment


def _compare(payment: Payment, outcome: PaymentOutcome) -> None:
    asked = (to_decimal(payment.amount, payment.currency), payment.currency)
    if outcome.amount is not None and (outcome.amount, outcome.currency) != asked:
        log.critical("rail.other_money", payment=payment.id, method=payment.method)
        raise InvalidResponse(payment.method, paymentId=payment.id)


def _save(payment: Payment, *, is_new: bool) -> None:
    if not is_new:
        execute(_UPDATE, [*values(payment, _CHANGING), payment.pk])
    elif not execute(_INSERT, values(payment)):
        other = first(_LIVE, [payment.merchant_id, payment.reference])
        raise DuplicateReference(field="reference", paymentId=other[0] if other else None)


def lock(merchant: Merchant, payment_id: str) -> Payment:
    """The merchant's payment, locked until the transaction ends. Raises ONP404_PAYMENT."""
    return owned(merchant, first(_LOCK, [payment_id]) if is_well_formed(payment_id) else None)


def rail_for(merchant: Merchant, method: str, currency: str) -> Rail:
    """Raises ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE if no provider is connected."""
    rail = rail_of(method, currency, merchant.environment)
    if rail is None:
        raise RailUnavailable(method)
    return rail


def simulator_of(payment: Payment) -> SandboxRail:
    """The sandbox simulator of a payment's rail, the only one that is called inside a transaction."""
    rail = rail_for(payment.merchant, payment.method, payment.currency)
    assert isinstance(rail, SandboxRail), "nobody outside is asked inside a transaction"
    return rail


def order_of(payment: Payment) -> PaymentOrder:
    """The order that the rail receives for a payment."""
    assert payment.expires_at is not None
    company = payment.merchant.company
    return PaymentOrder(
        payment_id=payment.id,
        method=payment.method,
        amount=to_decimal(payment.amount, payment.currency),
        currency=payment.currency,
        beneficiary=company.trade_name,
        city=company.city,
        payer=payloads.payer_of(payment.payer),
        created_at=payment.created_at,
        expires_at=payment.expires_at,
        due_date=payment.due_date,
        asked_times=payment.asked_times,
        integration_mode=payment.merchant.card_integration_mode,
        stored_card=stored(payment.details["token"]) if "token" in payment.details else None,
        reference=payment.rail_reference,
        details=payment.details,
    )
