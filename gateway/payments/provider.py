"""Calls to the provider of a payment, and their effects. Only `apply` changes a status."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError

from accounts.base.ids import is_well_formed
from accounts.base.lifecycle import Transition
from accounts.base.rows import Statement, columns, execute, first, insert_into, table, values
from accounts.models import Environment, Merchant
from gateway.methods.errors import InvalidResponse
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.registry import by_currency
from gateway.methods.sandbox import SandboxRail
from gateway.payments import payloads, saved
from gateway.payments.bank_references import has_paid_another
from gateway.payments.errors import DuplicateReference
from gateway.payments.lifecycle import PAYMENT_LIFE, PaymentAnswer
from gateway.payments.models import OPEN, Payment, Status
from gateway.payments.pricing import schedule, settle
from gateway.payments.selectors import owned
from gateway.providers.asking import ASKED, is_overdue, keep_unclear, poll_after_s, settle_outcome
from gateway.providers.selectors import rail_of as rail_at
from ledger.books.services import Move, post, posting
from ledger.holds import reserves
from ledger.money import to_decimal
from webhooks.outbox import emit, emitting

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
    "updated_at", "moved_from_id", *ASKED,
)  # fmt: skip
_UPDATE = f"UPDATE {table(Payment)} SET {', '.join(f'{name} = %s' for name in _CHANGING)} WHERE id = %s"


def capture_if_authorized(payment: Payment) -> Payment:
    """Captures an authorized payment, unless its capture is due later. A provider captures it after the commit."""
    if payment.status != Status.AUTHORIZED or payment.ask_at is not None:
        return payment
    if payment.account is not None:
        payment.ask_at = payment.updated_at
        save(payment)
        return payment
    rail = simulator_of(payment)
    return finish(payment, PaymentAction.CAPTURE, rail.capture(order_of(payment)), payment.updated_at)


def finish(payment: Payment, asked: PaymentAction, outcome: PaymentOutcome, at: datetime) -> Payment:
    """Applies an answer: saves, announces and posts in one transaction.

    Call it in a transaction that has locked the payment. Raises ONP409_PAYMENT_STATE, and
    ONP502_<METHOD>_INVALID_RESPONSE if the answer is about a different amount, or about money of another payment.
    """
    taken = apply(payment, asked, outcome, at)
    save(payment, is_new=not taken.sources)
    for kind in taken.announces:
        emit(payment.merchant, kind, payment.id, payloads.announced(payment), at)
    if taken.target == Status.PAID and taken.books and payment.settlement_days:
        schedule(payment)
    if taken.books:  # last: it locks the most contended rows
        _post_books(payment, str(taken.posts), taken.books(payment), at)
    return payment


@dataclass(frozen=True, slots=True)
class Finishing:
    """What `finish` would write of an open payment, for who writes several at once. `writes` are statements in their
    order; the row of the last one must be `is_all`.
    """

    payment: Payment
    writes: list[Statement]


def finishing(payment: Payment, asked: PaymentAction, outcome: PaymentOutcome, at: datetime) -> Finishing | None:
    """What `finish` would do, without a write. None: it takes more, or posts nothing. Raises what `finish` raises."""
    merchant = payment.merchant
    taken = apply(payment, asked, outcome, at)
    if not taken.sources or not taken.books or payment.settlement_days or merchant.reserve_percentage:
        return None
    writes = [saving(payment)]
    writes += [emitting(merchant, kind, payment.id, payloads.announced(payment), at) for kind in taken.announces]
    writes.append(posting(merchant, str(taken.posts), payment.id, taken.books(payment), at))
    return Finishing(payment, writes)


def apply(
    payment: Payment, asked: PaymentAction, outcome: PaymentOutcome, at: datetime
) -> Transition[PaymentAnswer, Payment]:
    """What the answer makes of the payment, which is not saved; returns what else it means. The only place that changes
    a status. Raises what `finish` raises.
    """
    _require_its_money(payment, outcome)
    taken = PAYMENT_LIFE.transition((asked, outcome.answered), payment.status)
    payment.status = taken.target
    payment.details = {**payment.details, **outcome.details}
    payment.rail_reference = outcome.reference or payment.rail_reference
    payment.answered = outcome.answered != PaymentResult.UNKNOWN or payment.is_instructed
    payment.updated_at = at
    saved.note(payment, outcome, at)
    _plan(payment, outcome, at, is_new=not taken.sources)
    if outcome.failure:
        payment.failure_code, payment.failure_message = outcome.failure
    if outcome.expires_after_s is not None:
        payment.expires_at = at + timedelta(seconds=outcome.expires_after_s)
    if taken.target == Status.PAID and payment.paid_at is None:
        settle(payment)
        payment.paid_at = at
        payment.release_at = at + timedelta(days=payment.settlement_days)
    return taken


def _post_books(payment: Payment, kind: str, moves: Sequence[Move], at: datetime) -> None:
    """Posts, and holds the company's rolling reserve of what has become available."""
    merchant, currency = payment.merchant, payment.settlement_currency or payment.currency
    posted = post(merchant, kind, payment.id, moves, at)
    assert posted, "a status is reached once, and so are its books"
    if payment.status == Status.PAID and not payment.settlement_days:
        reserves.take(merchant, currency, payment.settlement_amount or payment.net, payment.id, at)


def _require_its_money(payment: Payment, outcome: PaymentOutcome) -> None:
    if is_other_money(payment, outcome):
        log.critical("rail.other_money", payment=payment.id, method=payment.method)
    elif has_paid_another(payment, outcome):
        log.critical("payment.same_money", payment=payment.id, rail_reference=outcome.reference)
    else:
        return
    raise InvalidResponse(payment.method, paymentId=payment.id)


def _plan(payment: Payment, outcome: PaymentOutcome, at: datetime, *, is_new: bool) -> None:
    """Sets the next query, and whether the outcome is unclear. A provider that was not yet called is not unclear."""
    payment.ask_at = None if outcome.ask_after_s is None else at + timedelta(seconds=outcome.ask_after_s)
    if outcome.answered != PaymentResult.UNKNOWN:
        settle_outcome(payment)
    elif not (is_new and payment.account_id):
        keep_unclear(payment, at, ask_after_s=outcome.ask_after_s, within_s=outcome.expires_after_s)
    if payment.account_id and payment.status in OPEN and outcome.answered in AWAITS_PAYER:
        ask_later(payment, at)


AWAITS_PAYER = (
    PaymentResult.WAITING, PaymentResult.CHECKOUT, PaymentResult.REVIEW, PaymentResult.CLEARED,
    PaymentResult.SESSION, PaymentResult.CHALLENGE,
)  # fmt: skip
"""Answers after which a provider is queried until somebody has paid, or it has canceled the payment."""


def ask_later(payment: Payment, at: datetime) -> None:
    """Sets the next query about a payment that nobody has paid: at its expiry at the latest."""
    rail = rail_of(payment)
    if not rail.calls_provider(order_of(payment)):
        return  # only people know
    assert payment.expires_at is not None
    after = timedelta(seconds=poll_after_s(at - payment.created_at, seldom=rail.is_asked_seldom))
    payment.ask_at = max(at, min(at + after, payment.expires_at))


def is_other_money(payment: Payment, outcome: PaymentOutcome) -> bool:
    """Whether the provider reports another amount or currency than requested."""
    asked = (to_decimal(payment.amount, payment.currency), payment.currency)
    return outcome.amount is not None and (outcome.amount, outcome.currency) != asked


def save(payment: Payment, *, is_new: bool = False) -> None:
    """Raises ONP409_DUPLICATE_REFERENCE for a new payment whose reference is in use, and for one that has ended and is
    paid late while another takes its reference.
    """
    if not is_new:
        try:
            execute(*saving(payment))
        except IntegrityError as error:
            if "one_live_payment_per_reference" in str(error):
                raise DuplicateReference from error
            raise
    elif not execute(_INSERT, values(payment)):
        other = first(_LIVE, [payment.merchant_id, payment.reference])
        raise DuplicateReference(field="reference", paymentId=other[0] if other else None)


def saving(payment: Payment) -> Statement:
    """What `save` asks PostgreSQL about a payment that is not new."""
    return _UPDATE, [*values(payment, _CHANGING), payment.pk]


def unclear(payment: Payment, at: datetime) -> Payment:
    """Records an answer that says nothing: the provider is queried again, and people are told past its deadline."""
    keep_unclear(payment, at)
    save(payment)
    if is_overdue(payment, at):
        log.critical("payment.unclear_past_deadline", payment=payment.id, since=payment.unclear_since)
    return payment


def require_reference_free(payment: Payment) -> None:
    """Raises ONP409_DUPLICATE_REFERENCE if a newer payment took the reference of this one after it had ended."""
    live = first(_LIVE, [payment.merchant_id, payment.reference])
    if live and live[0] != payment.pk:
        raise DuplicateReference(paymentId=live[0])


def lock(merchant: Merchant, payment_id: str) -> Payment:
    """The merchant's payment, locked until the transaction ends. Raises ONP404_PAYMENT."""
    return owned(merchant, first(*locking(payment_id)) if is_well_formed(payment_id) else None)


def locking(payment_id: str) -> Statement:
    """Asks for the row that `owned` takes, and locks it."""
    return _LOCK, [payment_id]


def rail_of(payment: Payment) -> Rail:
    """The rail at the payment's provider, or its simulator."""
    if payment.account is not None:
        return rail_at(payment.account, payment.method, payment.currency, of=payment.merchant)
    return simulator_of(payment)


def simulator_of(payment: Payment) -> SandboxRail:
    """The sandbox simulator of a payment's rail, the only one that is called inside a transaction."""
    assert payment.merchant.environment == Environment.SANDBOX, "production payments have an account"
    rail = by_currency(payment.method)[payment.currency]
    assert isinstance(rail, SandboxRail)
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
        stored_card=saved.stored_card_of(payment),
        tokenized=saved.tokenized(payment),
        saves_card=saved.is_to_be_kept(payment),
        payer_is_present=payment.return_url is not None,
        customer_id=payment.customer_id,
        reference=payment.rail_reference,
        details=payment.details,
    )
