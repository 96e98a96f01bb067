"""Creating and changing payments. The sequence is `begin`, the rail, `finish`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import structlog
from django.db import connection, transaction

from accounts.base import clock
from accounts.base.errors import Fault, MethodRefusal
from accounts.base.ids import is_well_formed, new_id
from accounts.base.rows import columns, execute, first, insert_into, load, retry_on_deadlock, values, width
from accounts.models import Environment, Merchant
from gateway.customers.payer import Payer
from gateway.customers.services import remember
from gateway.methods import selectors as methods
from gateway.methods.card.rail import CardRail
from gateway.methods.colombia import SandboxCheckout
from gateway.methods.errors import InvalidResponse, RailUnavailable
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.registry import CARDS, rail_of
from gateway.methods.sandbox import SandboxRail
from gateway.payments import payloads, return_url
from gateway.payments.errors import (
    CompanyNotActive,
    DuplicateReference,
    InvalidExpiresIn,
    InvalidReturnUrl,
    PaymentMethodTokenInvalid,
    PaymentState,
    SandboxOnly,
    SimulationOfCard,
    TokensNotEnabled,
)
from gateway.payments.lifecycle import PAYMENT_LIFE, open_question
from gateway.payments.models import OPEN, UNDECIDED, Payment, Status
from gateway.payments.pricing import correct, require_rate, schedule, settle
from gateway.payments.selectors import owned
from gateway.vault.stored import stored
from ledger.books.services import post
from ledger.money import to_decimal, to_minor
from webhooks.outbox import emit

log = structlog.get_logger()
ANSWERS_WITHIN_S = 60
"""How long the provider may take to answer about a new payment (contract §5.5)."""
NO_SESSION = ("CARD_SESSION_UNAVAILABLE", "The card session could not be prepared in time.")

_INSERT = f"""
    {insert_into(Payment)}
    ON CONFLICT (merchant_id, reference) WHERE NOT (status IN ('FAILED', 'EXPIRED')) DO NOTHING
"""
_LIVE = (
    "SELECT id FROM gateway_payment WHERE merchant_id = %s AND reference = %s AND status NOT IN ('FAILED', 'EXPIRED')"
)
_LOCK = f"SELECT {columns(Payment)} FROM gateway_payment WHERE id = %s FOR NO KEY UPDATE"
_CHANGING = (
    "status", "method", "fee", "settlement_days", "advance_monthly_rate", "advance_minimum", "details",
    "refunded_amount", "rail_reference", "settlement_currency", "settlement_amount", "settlement_rate",
    "failure_code", "failure_message", "answered", "asked_times", "ask_at", "expires_at", "paid_at", "release_at",
    "updated_at",
)  # fmt: skip
_UPDATE = f"UPDATE gateway_payment SET {', '.join(f'{name} = %s' for name in _CHANGING)} WHERE id = %s"


@dataclass(frozen=True, slots=True)
class Due:
    """Payments that are due: those that meet the condition when the time in the column has come."""

    column: str
    condition: str

    @property
    def found(self) -> str:
        """By real time, and by the clocks of merchants that are ahead of it."""
        theirs = f"{self.condition} AND p.{self.column} <= %(now)s"
        return f"""
            (SELECT p.id, p.{self.column} AS due_at FROM gateway_payment p
              WHERE {theirs} AND NOT p.id = ANY(%(left)s) ORDER BY p.{self.column} LIMIT %(limit)s)
            UNION
            (SELECT p.id, p.due_at FROM accounts_merchant m CROSS JOIN LATERAL (
                SELECT p.id, p.{self.column} AS due_at FROM gateway_payment p
                 WHERE p.merchant_id = m.id AND {theirs} + m.clock_offset AND NOT p.id = ANY(%(left)s)
                 ORDER BY p.{self.column} LIMIT %(limit)s) p
              WHERE m.clock_offset > interval '0')
            ORDER BY due_at LIMIT %(limit)s
        """

    @property
    def held(self) -> str:
        """The payment with its merchant, locked, if it is still due and not locked by another process."""
        return f"""
            SELECT {columns(Payment, "p")}, {columns(Merchant, "m")} FROM gateway_payment p
              JOIN accounts_merchant m ON m.id = p.merchant_id
             WHERE p.id = %s AND {self.condition} AND p.{self.column} <= %s + m.clock_offset
               FOR NO KEY UPDATE OF p SKIP LOCKED
        """

    @property
    def first(self) -> str:
        return f"""
            SELECT p.{self.column}, p.id FROM gateway_payment p
             WHERE p.merchant_id = %s AND {self.condition} AND p.{self.column} <= %s
             ORDER BY p.{self.column}, p.id LIMIT 1
        """


EXPIRY = Due("expires_at", "p.status IN ('PENDING', 'ACTION_REQUIRED', 'AUTHORIZED')")
QUESTION = Due("ask_at", "p.ask_at IS NOT NULL")


@dataclass(frozen=True, slots=True)
class Request:
    """A valid payment order. `amount` is exact; `expires_in_s` None: the method's default."""

    method: str
    amount: Decimal
    currency: str
    reference: str
    payer: Payer
    expires_in_s: int | None = None
    due_date: date | None = None
    return_url: str | None = None
    payment_method_token: str | None = None


@transaction.atomic(savepoint=False)
def create(merchant: Merchant, request: Request) -> Payment:
    """Creates a payment; it carries what the payer needs, or is FAILED if it was declined permanently.

    If a provider must be asked it is only stored (`is_unanswered`): commit, `ask`, then `answer`. Raises
    ONP403_COMPANY_STATUS, ONP403_METHOD_NOT_ENABLED, ONP422_<METHOD>_AMOUNT_TOO_SMALL / _TOO_LARGE,
    ONP409_DUPLICATE_REFERENCE, ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE.
    """
    require_active(merchant)
    require_rate(merchant, request.method, request.currency)
    terms = methods.terms(merchant, request.method, request.currency)
    rail = rail_for(merchant, request.method, request.currency)
    payment = begin(merchant, replace(request, payer=rail.completed(request.payer)), terms, rail)
    order = order_of(payment)
    if order.stored_card and (failure := correct(payment, order.stored_card.card.funding)):
        outcome = PaymentOutcome(PaymentResult.DECLINED, failure=failure)
    elif rail.asks_outside(order):
        outcome = PaymentOutcome(PaymentResult.UNKNOWN, ask_after_s=ANSWERS_WITHIN_S)
    else:
        outcome = rail.instruct(order)
    return capture_if_authorized(finish(payment, PaymentAction.CREATE, outcome, payment.created_at))


def capture_if_authorized(payment: Payment) -> Payment:
    """Captures an authorized payment, unless its capture is due later."""
    if payment.status != Status.AUTHORIZED or payment.ask_at is not None:
        return payment
    rail = simulator_of(payment)
    assert isinstance(rail, CardRail)
    return finish(payment, PaymentAction.CAPTURE, rail.capture(order_of(payment)), payment.updated_at)


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
        if outcome.answered in (PaymentResult.AUTHORIZED, PaymentResult.DONE):  # somebody must give it back
            log.critical("payment.answered_too_late", payment=payment.id, rail_reference=outcome.reference)
        return payment
    try:
        return capture_if_authorized(finish(payment, PaymentAction.PREPARE, outcome, clock.now(merchant)))
    except PaymentState as unforeseen:  # nothing that a repetition should be told for ever
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


def begin(merchant: Merchant, request: Request, terms: methods.MethodTerms, rail: Rail) -> Payment:
    """The new payment with its price fixed; no provider is asked yet."""
    now = clock.now(merchant)
    amount = to_minor(request.amount, request.currency)
    payment = Payment(
        id=new_id("pay"),
        reference=request.reference,
        status="",
        method=request.method,
        requested_method=request.method,
        currency=request.currency,
        amount=amount,
        fee=terms.fee_of(amount),
        settlement_days=terms.settlement_days,
        advance_monthly_rate=terms.advance_monthly_rate,
        advance_minimum=terms.advance_minimum,
        payer=payloads.payer(request.payer),
        return_url=_way_back(merchant, request) if rail.market(request.currency).sends_the_payer_away else None,
        due_date=request.due_date,
        details=_card_of(merchant, request),
        expires_at=rail.deadline(now, _payers_time(request, terms), request.due_date),
        customer_id=remember(merchant, request.payer, now),
        created_at=now,
        updated_at=now,
    )
    payment.merchant = merchant
    return payment


def _way_back(merchant: Merchant, request: Request) -> str | None:
    return return_url.parse(request.return_url, merchant) if request.return_url else None


def _card_of(merchant: Merchant, request: Request) -> dict[str, Any]:
    """The saved card of the order, if it names one.

    Raises ONP403_TOKENS_NOT_ENABLED, ONP422_<METHOD>_PAYMENT_METHOD_TOKEN_INVALID, and ONP400_RETURN_URL if the
    cardholder must confirm and could not return.
    """
    if request.payment_method_token is None:
        return {}
    if not merchant.card_tokens_enabled:
        raise TokensNotEnabled
    kept = stored(request.payment_method_token)
    if kept is None or merchant.environment != Environment.SANDBOX:
        raise PaymentMethodTokenInvalid(request.method, field="paymentMethodToken")
    if kept.must_be_confirmed and not request.return_url:
        raise InvalidReturnUrl(faults=[Fault("returnUrl", "REQUIRED", "The holder must confirm.")])
    return {"token": kept.token, "card": kept.card.snapshot()}


def require_active(merchant: Merchant) -> None:
    """Raises ONP403_COMPANY_STATUS if the merchant is not operational (see `Merchant.is_operational`)."""
    if not merchant.is_operational:
        raise CompanyNotActive


def _payers_time(request: Request, terms: methods.MethodTerms) -> int:
    """Seconds until expiry. A method with a fixed time ignores `expiresIn` (contract §4.3)."""
    wanted = request.expires_in_s
    if wanted is None or terms.expires_in_range_s is None:
        return terms.expires_in_s
    if not terms.allows_expires_in(wanted):
        raise InvalidExpiresIn(faults=[Fault("expiresIn", "OUT_OF_RANGE", "Out of the method's range.")])
    return wanted


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
    """What the rail is told about a payment."""
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
    )


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
    if taken.books:  # last: it holds the busiest rows
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


def simulate(merchant: Merchant, payment_id: str, wanted: str) -> Payment:
    """Sets the outcome PAID, FAILED or EXPIRED of an open sandbox payment without a card (contract §14.1).

    Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS, ONP404_PAYMENT, ONP422_SIMULATION_CARD, ONP409_PAYMENT_STATE.
    """
    asked = PaymentAction.EXPIRE if wanted == Status.EXPIRED else PaymentAction.PAY
    return _play(merchant, payment_id, asked, lambda rail, now: rail.simulate(wanted, now))


def decide(merchant: Merchant, payment_id: str, *, accepts: bool, said: Mapping[str, str]) -> Payment:
    """The payer's decision on the sandbox checkout page. Raises what `simulate` raises."""

    def chosen(rail: SandboxRail, now: datetime) -> PaymentOutcome:
        assert isinstance(rail, SandboxCheckout)
        return rail.decided(accepts=accepts, said=said, at=now)

    return _play(merchant, payment_id, PaymentAction.PAY, chosen)


@transaction.atomic(savepoint=False)
def _play(
    merchant: Merchant,
    payment_id: str,
    asked: PaymentAction,
    answer_of: Callable[[SandboxRail, datetime], PaymentOutcome],
) -> Payment:
    if merchant.environment != Environment.SANDBOX:
        raise SandboxOnly
    require_active(merchant)
    payment = lock(merchant, payment_id)
    if payment.method in CARDS:
        raise SimulationOfCard
    now = clock.now(merchant)
    if payment.status not in OPEN or (asked != PaymentAction.EXPIRE and _is_over(payment, now)):
        raise PaymentState
    return finish(payment, asked, answer_of(simulator_of(payment), now), now)


def expire_due(limit: int = 100) -> int:
    """Expires overdue payments by their merchant's clock; returns how many (at most `limit`)."""
    return _happen(EXPIRY, _expire, limit)


def ask_due(limit: int = 100) -> int:
    """Asks providers about payments whose answer is due; returns how many (at most `limit`)."""
    return _happen(QUESTION, _ask_about, limit)


def _happen(due: Due, happen: Callable[[Payment], Payment], limit: int) -> int:
    """Each in a transaction of its own. One that fails is logged and skipped, so it does not delay the others."""
    happened = 0
    left: list[str] = []
    while happened < limit and (found := _found(due, left, limit - happened)):
        for payment_id in found:
            try:
                done = retry_on_deadlock(partial(_happen_to, due, happen, payment_id))
            except Exception:
                log.exception("payment.stuck", payment=payment_id, due=due.column)
                done = False
            happened += done
            if not done:
                left.append(payment_id)
    return happened


def _found(due: Due, left: list[str], limit: int) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(due.found, {"now": clock.utcnow(), "left": left, "limit": limit})
        return [row[0] for row in cursor.fetchall()]


@transaction.atomic
def _happen_to(due: Due, happen: Callable[[Payment], Payment], payment_id: str) -> bool:
    """Returns False if it is no longer due, or locked by another process."""
    row = first(due.held, [payment_id, clock.utcnow()])
    if row is None:
        return False
    payment = load(Payment, row[: width(Payment)])
    payment.merchant = load(Merchant, row[width(Payment) :])
    happen(payment)
    return True


def first_expiry(merchant: Merchant, until: datetime) -> tuple[datetime, str] | None:
    """When the merchant's next open payment expires, and its id; None if not by `until`."""
    return first(EXPIRY.first, [merchant.pk, until])


def first_question(merchant: Merchant, until: datetime) -> tuple[datetime, str] | None:
    """When the provider is next asked about a payment, and its id; None if not by `until`."""
    return first(QUESTION.first, [merchant.pk, until])


@transaction.atomic(savepoint=False)
def expire(merchant: Merchant, payment_id: str) -> Payment:
    """Expires a payment if it is still open. Raises ONP404_PAYMENT."""
    payment = lock(merchant, payment_id)
    return _expire(payment) if payment.status in UNDECIDED else payment


@transaction.atomic(savepoint=False)
def ask_about(merchant: Merchant, payment_id: str) -> Payment:
    """Asks the provider about a payment if it is still open. Raises ONP404_PAYMENT."""
    payment = lock(merchant, payment_id)
    return _ask_about(payment) if payment.ask_at else payment


def _is_over(payment: Payment, now: datetime) -> bool:
    return payment.expires_at is not None and payment.expires_at <= now


def _expire(payment: Payment) -> Payment:
    """The status takes effect at the time of expiry, not at the time of the sweep."""
    assert payment.expires_at is not None
    return finish(payment, PaymentAction.EXPIRE, PaymentOutcome(PaymentResult.DONE), payment.expires_at)


def _ask_about(payment: Payment) -> Payment:
    """The answer takes effect at the time it was due."""
    assert payment.ask_at is not None
    asked = open_question(payment)
    if payment.is_unanswered and payment.method in CARDS:
        return finish(payment, asked, PaymentOutcome(PaymentResult.DECLINED, failure=NO_SESSION), payment.ask_at)
    outcome = simulator_of(payment).ask(order_of(payment), asked)
    return capture_if_authorized(finish(payment, asked, outcome, payment.ask_at))
