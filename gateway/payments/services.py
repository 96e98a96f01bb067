"""Creating and changing payments. The sequence is `begin`, the rail, `provider.finish`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import transaction

from accounts.base import clock
from accounts.base.errors import Fault
from accounts.base.ids import new_id
from accounts.base.rows import Statement, first, new, relate, table
from accounts.models import Environment, Merchant
from gateway.customers.models import Customer
from gateway.customers.payer import Payer
from gateway.customers.services import remember
from gateway.methods import selectors as methods
from gateway.methods.colombia import SandboxCheckout
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult, Rail
from gateway.methods.registry import CARDS, by_currency
from gateway.methods.sandbox import SandboxRail
from gateway.payments import payloads, return_url, saved
from gateway.payments.creation import Draft
from gateway.payments.errors import (
    CompanyNotActive,
    InvalidExpiresIn,
    PaymentState,
    SandboxOnly,
    SimulationOfCard,
)
from gateway.payments.models import OPEN, UNDECIDED, Payment, Status
from gateway.payments.pricing import correct, require_rate
from gateway.payments.provider import (
    Finishing,
    apply,
    capture_if_authorized,
    finish,
    finishing,
    lock,
    order_of,
    rail_of,
    require_reference_free,
    simulator_of,
)
from gateway.payments.selectors import owned
from gateway.providers.asking import is_leased, lease
from gateway.providers.errors import ProviderNotConnected
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import by_health, route
from gateway.providers.selectors import rail_of as rail_at
from ledger.money import to_minor

NOT_WITH_DUE_DATE = Fault("expiresIn", "NOT_ALLOWED", "A payment has either expiresIn or dueDate.")
ANSWERS_WITHIN_S = 60
"""How long the provider of a new payment may take until it is queried (contract §5.5)."""


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
    save_payment_method: bool = False
    payment_link_id: str | None = None


@transaction.atomic(savepoint=False)
def create(merchant: Merchant, request: Request) -> Payment:
    """Creates a payment; it carries what the payer needs, or is FAILED if it was declined permanently.

    If a provider must be asked it is only stored (`is_unanswered`): commit, `ask`, then `answer`. Raises
    ONP403_COMPANY_STATUS, ONP403_METHOD_NOT_ENABLED, ONP422_<METHOD>_AMOUNT_TOO_SMALL / _TOO_LARGE,
    ONP409_DUPLICATE_REFERENCE, and ONP403_<METHOD>_NOT_CONNECTED in production.
    """
    require_active(merchant)
    require_rate(merchant, request.method, request.currency)
    terms = methods.terms(merchant, request.method, request.currency)
    accounts, rail = _connected(merchant, request)
    request = replace(request, payer=rail.completed(request.payer))
    owns_cards = request.save_payment_method or request.payment_method_token is not None
    now = clock.now(merchant)
    customer_id = remember(merchant, request.payer, now, owns_cards=owns_cards)
    payment = begin(merchant, request, terms, rail, customer_id, now)
    saved.choose(payment, accounts)
    rail, order = rail_of(payment), order_of(payment)
    if saved.TOKEN in payment.details and (failure := correct(payment, payment.details["card"]["funding"])):
        outcome = PaymentOutcome(PaymentResult.DECLINED, failure=failure)
    elif rail.calls_provider(order):
        outcome = PaymentOutcome(PaymentResult.UNKNOWN, ask_after_s=ANSWERS_WITHIN_S)
        if payment.account:
            lease(payment)
    else:
        outcome = rail.instruct(order)
    return capture_if_authorized(finish(payment, PaymentAction.CREATE, outcome, payment.created_at))


def _connected(merchant: Merchant, request: Request) -> tuple[list[ProviderAccount], Rail]:
    """The accounts, those that were taken out last, and the first one's rail; the simulator in the sandbox.

    Raises ONP403_<METHOD>_NOT_CONNECTED.
    """
    if merchant.environment == Environment.SANDBOX:
        return [], by_currency(request.method)[request.currency]
    amount = to_minor(request.amount, request.currency)
    accounts = by_health(route(merchant, request.method, request.currency, amount))
    if not accounts:
        raise ProviderNotConnected(request.method, field="method")
    return accounts, rail_at(accounts[0], request.method, request.currency, of=merchant)


_KNOWN = f"""
    SELECT terms.*, (SELECT id FROM {table(Customer)} WHERE merchant_id = %(merchant)s AND tax_id = %(tax_id)s)
      FROM ({methods.TERMS}) terms
"""


def draft(merchant: Merchant, request: Request) -> Draft | None:
    """What `create` would make of the order, without writing anything.

    None if it takes more than one statement: a provider is asked, an event is told, or the payer has no tax id. Raises
    what `create` raises, but not ONP409_DUPLICATE_REFERENCE.
    """
    drafting = draft_from(merchant, request)
    return drafting.draft(first(*drafting.asks)) if drafting else None


@dataclass(frozen=True, slots=True)
class Drafting:
    """What a draft takes: a statement that only reads, and what becomes of its row."""

    asks: Statement
    draft: Callable[[tuple[Any, ...] | None], Draft | None]


def draft_from(merchant: Merchant, request: Request) -> Drafting | None:
    """The same as `draft`, for who asks the database for several at once."""
    if merchant.environment != Environment.SANDBOX or request.method in CARDS or request.payer.tax_id is None:
        return None
    require_active(merchant)
    require_rate(merchant, request.method, request.currency)
    rail = by_currency(request.method)[request.currency]
    request = replace(request, payer=rail.completed(request.payer))
    asked = methods.asked(merchant, request.method, request.currency) | {"tax_id": request.payer.tax_id}
    return Drafting((_KNOWN, asked), partial(_drafted, merchant, request, rail))


def _drafted(merchant: Merchant, request: Request, rail: Rail, row: tuple[Any, ...] | None) -> Draft | None:
    """Raises ONP403_METHOD_NOT_ENABLED and what `begin` raises."""
    terms = methods.terms_in(row[:-1] if row else None, request.method, request.currency)
    customer_id = (row[-1] if row else None) or new_id("cus")
    payment = begin(merchant, request, terms, rail, customer_id, clock.now(merchant))
    order = order_of(payment)
    if rail.calls_provider(order):
        return None
    taken = apply(payment, PaymentAction.CREATE, rail.instruct(order), payment.created_at)
    return None if taken.announces or taken.books or payment.status == Status.AUTHORIZED else Draft(payment)


def begin(
    merchant: Merchant, request: Request, terms: methods.MethodTerms, rail: Rail, customer_id: str, now: datetime
) -> Payment:
    """The new payment with its price fixed; no provider is asked yet."""
    amount = to_minor(request.amount, request.currency)
    payment = new(
        Payment,
        id=new_id("pay"),
        merchant_id=merchant.pk,
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
        return_url=_return_url(merchant, request) if rail.market(request.currency).redirects_payer else None,
        due_date=request.due_date,
        payment_link_id=request.payment_link_id,
        details=saved.details_of(
            merchant,
            rail,
            customer_id,
            token=request.payment_method_token,
            saves=request.save_payment_method,
            returns=bool(request.return_url),
        ),
        expires_at=rail.deadline(now, _payers_time(request, terms), request.due_date),
        customer_id=customer_id,
        created_at=now,
        updated_at=now,
    )
    relate(payment, "merchant", merchant)
    return payment


def _return_url(merchant: Merchant, request: Request) -> str | None:
    return return_url.parse(request.return_url, merchant) if request.return_url else None


def require_active(merchant: Merchant) -> None:
    """Raises ONP403_COMPANY_STATUS if the merchant is not operational (see `Merchant.is_operational`)."""
    if not merchant.is_operational:
        raise CompanyNotActive


def _payers_time(request: Request, terms: methods.MethodTerms) -> int:
    """Seconds until expiry. A method with a fixed time ignores `expiresIn` (contract §4.3).

    Raises ONP400_EXPIRES_IN, also if a due date already decides when it expires.
    """
    wanted = request.expires_in_s
    if wanted is None or terms.expires_in_range_s is None:
        return terms.expires_in_s
    if request.due_date:
        raise InvalidExpiresIn(faults=[NOT_WITH_DUE_DATE])
    if not terms.allows_expires_in(wanted):
        raise InvalidExpiresIn(faults=[Fault("expiresIn", "OUT_OF_RANGE", "Out of the method's range.")])
    return wanted


def simulate(merchant: Merchant, payment_id: str, wanted: str) -> Payment:
    """Sets the outcome PAID, FAILED or EXPIRED of an open sandbox payment without a card (contract §14.1).

    Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS, ONP404_PAYMENT, ONP422_SIMULATION_CARD, ONP409_PAYMENT_STATE.
    """
    return _play(merchant, payment_id, _asked(wanted), lambda rail, now: rail.simulate(wanted, now))


def _asked(wanted: str) -> PaymentAction:
    return PaymentAction.EXPIRE if wanted == Status.EXPIRED else PaymentAction.PAY


def simulating(merchant: Merchant, row: tuple[Any, ...] | None, wanted: str) -> Finishing | None:
    """What `simulate` would do with the payment in a row that is locked, without a write. None: it takes more.

    Raises what `simulate` raises.
    """
    _require_simulations(merchant)
    payment, now = _simulable(owned(merchant, row)), clock.now(merchant)
    asked = _asked(wanted)
    _require_open(payment, asked, now)
    return finishing(payment, asked, simulator_of(payment).simulate(wanted, now), now)


@transaction.atomic(savepoint=False)
def simulate_late_money(merchant: Merchant, payment_id: str) -> Payment:
    """Lets money pay an expired sandbox payment, as staff decide it in production about money in suspense.

    Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS, ONP404_PAYMENT, ONP422_SIMULATION_CARD, ONP409_PAYMENT_STATE, and
    ONP409_DUPLICATE_REFERENCE if a newer payment took its reference.
    """
    payment = _simulated(merchant, payment_id)
    if payment.status != Status.EXPIRED:
        raise PaymentState(paymentId=payment.id, paymentStatus=payment.status)
    require_reference_free(payment)
    now = clock.now(merchant)
    return finish(payment, PaymentAction.ASSIGN, simulator_of(payment).paid(now), now)


def decide(merchant: Merchant, payment_id: str, *, accepts: bool, answers: Mapping[str, str]) -> Payment:
    """The payer's decision on the sandbox checkout page. Raises what `simulate` raises."""

    def chosen(rail: SandboxRail, now: datetime) -> PaymentOutcome:
        assert isinstance(rail, SandboxCheckout)
        return rail.decided(accepts=accepts, answers=answers, at=now)

    return _play(merchant, payment_id, PaymentAction.PAY, chosen)


@transaction.atomic(savepoint=False)
def _play(
    merchant: Merchant,
    payment_id: str,
    asked: PaymentAction,
    answer_of: Callable[[SandboxRail, datetime], PaymentOutcome],
) -> Payment:
    payment, now = _simulated(merchant, payment_id), clock.now(merchant)
    _require_open(payment, asked, now)
    return finish(payment, asked, answer_of(simulator_of(payment), now), now)


def _require_open(payment: Payment, asked: PaymentAction, now: datetime) -> None:
    if payment.status not in OPEN or (asked != PaymentAction.EXPIRE and _is_over(payment, now)):
        raise PaymentState(paymentId=payment.id, paymentStatus=payment.status)


def _simulated(merchant: Merchant, payment_id: str) -> Payment:
    """The sandbox payment without a card, locked."""
    _require_simulations(merchant)
    return _simulable(lock(merchant, payment_id))


def _require_simulations(merchant: Merchant) -> None:
    if merchant.environment != Environment.SANDBOX:
        raise SandboxOnly
    require_active(merchant)


def _simulable(payment: Payment) -> Payment:
    if payment.method in CARDS:
        raise SimulationOfCard
    return payment


@transaction.atomic(savepoint=False)
def conclude(merchant: Merchant, payment_id: str, outcome: PaymentOutcome) -> Payment:
    """The provider's result as support knows it: DONE (it was paid) or DECLINED. In production it takes two people.

    Raises ONP404_PAYMENT and ONP409_PAYMENT_STATE, also while the provider is being called.
    """
    payment = lock(merchant, payment_id)
    if payment.status not in UNDECIDED or is_leased(payment):
        raise PaymentState
    return finish(payment, PaymentAction.PAY, outcome, clock.now(merchant))


def _is_over(payment: Payment, now: datetime) -> bool:
    return payment.expires_at is not None and payment.expires_at <= now
