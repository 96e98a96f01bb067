"""Scenarios of the sandbox, and running them: magic amounts and outcomes, each with the calls it takes."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import cache

from django.db import transaction
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.base.wire import dumps, loads
from accounts.environments import base_url
from accounts.models import Merchant
from gateway.api.inputs.fields import validated
from gateway.api.inputs.payments import PaymentInput
from gateway.api.inputs.withdrawals import (
    BankWithdrawalInput,
    CryptoWithdrawalInput,
    PixWithdrawalInput,
    SpeiWithdrawalInput,
    WithdrawalInput,
)
from gateway.conversions import scenarios as conversion_scenarios
from gateway.conversions import services as conversions
from gateway.conversions.quotes import sign
from gateway.methods import scenarios as payment_scenarios
from gateway.methods.errors import Rejected
from gateway.methods.registry import CARDS, Method, markets
from gateway.methods.sandbox import REFUND_REFUSED, REFUND_STAYS
from gateway.payments import questions
from gateway.payments import services as payments
from gateway.payments.models import Payment, Status
from gateway.payouts import scenarios as payout_scenarios
from gateway.payouts.rail import PayoutOrder
from gateway.refunds import services as refunds
from gateway.simulations import services as simulations
from gateway.simulations.examples import ORDERS, WITHDRAWALS
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from ledger.money import to_minor

PlayedMethod = tuple[str, str]
"""Method and currency, or rail and payout currency."""
BODIES: dict[str, type[WithdrawalInput]] = {
    "PIX": PixWithdrawalInput,
    "SPEI": SpeiWithdrawalInput,
    "BANK_TRANSFER": BankWithdrawalInput,
    "CRYPTO": CryptoWithdrawalInput,
}
MUCH = 20
"""Multiple of the documented amount that is credited as test money."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result: the object to look at, and the refusals that an integrator would get."""

    object_id: str | None
    at_first: Refusal | None = None
    refused: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """A scenario with its options. `tail`: the last digits of a whole amount."""

    name: str
    effect: str | Promise
    ways: tuple[PlayedMethod, ...]
    play: Callable[[Merchant, PlayedMethod], Played]
    tail: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    title: str | Promise
    sentence: str | Promise
    plays: tuple[Play, ...]


@cache
def groups() -> tuple[Group, ...]:
    """All scenarios, generated from the tables that run."""
    return (
        Group(
            _("Outcomes"),
            _("A test payment with the outcome you choose. The API can do this for any payment."),
            tuple(_outcomes()),
        ),
        Group(_("Payments"), _("Any whole amount that ends in these three digits triggers it."), tuple(_payments())),
        Group(_("Refunds and disputes"), _("Each starts with a paid payment and uses it up."), tuple(_refunds())),
        Group(
            _("Withdrawals"),
            _("The amount is debited from the wallet, so it must be available. A paid payment adds money to it."),
            tuple(_withdrawals()),
        ),
        Group(_("Conversions"), _("From reais to pesos, by source amount."), tuple(_conversions())),
    )


def find(name: str) -> Play | None:
    return next((play for group in groups() for play in group.plays if play.name == name), None)


# ── Payments ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _outcomes() -> Iterator[Play]:
    """The outcome of a card payment is chosen by the card."""
    ways = tuple(way for way in ORDERS if way[0] not in CARDS)
    for outcome, effect, times in (
        (Status.PAID, _("It is paid with test money, twenty times the documented amount."), MUCH),
        (Status.FAILED, _("It fails with `SIMULATED`."), 1),
        (Status.EXPIRED, _("It expires early."), 1),
    ):

        def play(merchant: Merchant, way: PlayedMethod, outcome: Status = outcome, times: int = times) -> Played:
            amount = Decimal(str(ORDERS[way]["amount"])) * times
            return pay(merchant, way, min(amount, markets()[way].maximum), outcome)

        yield Play(f"payment-{outcome.lower()}", effect, ways, play)


def _payments() -> Iterator[Play]:
    for number, scenario in enumerate(payment_scenarios.SCENARIOS):
        ways = tuple(
            way
            for way in ORDERS
            if way[0] in scenario.methods
            and scenario.currency in (None, way[1])
            and _magic(scenario.tail, markets()[way].minimum) <= markets()[way].maximum
        )

        def play(merchant: Merchant, way: PlayedMethod, tail: int = scenario.tail) -> Played:
            return pay(merchant, way, _magic(tail, markets()[way].minimum))

        yield Play(f"payment-{scenario.tail}-{number}", scenario.effect, ways, play, scenario.tail)


def _magic(tail: int, minimum: Decimal) -> Decimal:
    """The smallest whole amount with this ending."""
    thousands = max(0, -(-(int(minimum.to_integral_value("ROUND_CEILING")) - tail) // 1000))
    return Decimal(thousands * 1000 + tail)


def pay(merchant: Merchant, way: PlayedMethod, amount: Decimal, outcome: Status | None = None) -> Played:
    """Creates the documented payment with the chosen outcome. An outage is retried, as a client would.

    Raises what the API raises; what was created stays.
    """
    order = ORDERS[way] | {"amount": amount, "reference": f"lab-{secrets.token_hex(6)}"}
    if "dueDate" in order:
        order["dueDate"] = (clock.now(merchant) + timedelta(days=30)).date().isoformat()
    if "returnUrl" in order:
        page = reverse("dashboard:lab", args=(merchant.company_id, "sandbox"))
        order["returnUrl"] = base_url(merchant.environment) + page
    request = validated(PaymentInput, order, merchant).request()
    with transaction.atomic():
        payment = payments.create(merchant, request)
    at_first = None
    if payment.is_unanswered:
        payment, at_first = _answered(payment)
    if payment.status == Status.FAILED:
        return Played(payment.id, at_first, Rejected(payment.method, paymentId=payment.id))
    if outcome:
        payments.simulate(merchant, payment.id, outcome)
    return Played(payment.id, at_first)


def _answered(payment: Payment) -> tuple[Payment, Refusal | None]:
    """Asks the provider, with one retry if it is unavailable."""
    merchant = payment.merchant
    try:
        return questions.answer(merchant, questions.ask(payment)), None
    except Refusal as refusal:
        again = questions.resume(merchant, payment.id)
        return questions.answer(merchant, questions.ask(again)), refusal


# ── Refunds ───────────────────────────────────────────────────────────────────────────────────────────────────────
_PIX: PlayedMethod = (str(Method.PIX), "BRL")


def _refunds() -> Iterator[Play]:
    def dispute(merchant: Merchant, way: PlayedMethod) -> Played:
        paid = pay(merchant, way, Decimal(150), Status.PAID)
        statement = "I do not know this shop."
        asked = refunds.simulate_dispute(merchant, str(paid.object_id), reason_code="UNRECOGNIZED", statement=statement)
        return Played(asked.id)

    for tail, effect in (
        (REFUND_REFUSED, _("The refund is FAILED with `ACQUIRER_REFUSED` two seconds later; the money is back.")),
        (REFUND_STAYS, _("The refund stays PROCESSING until `POST /simulations/refunds/{id}` decides it.")),
    ):

        def refund(merchant: Merchant, way: PlayedMethod, tail: int = tail) -> Played:
            paid = pay(merchant, way, Decimal(2000), Status.PAID)
            with transaction.atomic():
                made = refunds.create(merchant, str(paid.object_id), amount=to_minor(Decimal(tail), way[1]))
            return Played(made.id)

        yield Play(f"refund-{tail}", effect, (_PIX,), refund, tail)

    def claim(merchant: Merchant, way: PlayedMethod) -> Played:
        paid = pay(merchant, way, Decimal(150), Status.PAID)
        statement = "The shop does not exist."
        return Played(refunds.simulate_claim(merchant, str(paid.object_id), reason_code="SCAM", statement=statement).id)

    def clawback(merchant: Merchant, way: PlayedMethod) -> Played:
        paid = pay(merchant, way, Decimal(150), Status.PAID)
        return Played(refunds.simulate_clawback(merchant, str(paid.object_id)).id)

    yield Play("dispute", _("A payer requested a refund: answer before the deadline."), (_PIX,), dispute)
    yield Play(
        "claim",
        _("A bank claims a payment back through MED: answer in 72 hours. It is decided within 7 days, returned in 11."),
        (_PIX,),
        claim,
    )
    yield Play("clawback", _("A bank takes a payment back through MED itself, without a claim."), (_PIX,), clawback)


# ── Withdrawals ───────────────────────────────────────────────────────────────────────────────────────────────────
def _withdrawals() -> Iterator[Play]:
    usual = replace(payout_scenarios.USUAL, tail=500)
    for scenario in (usual, *payout_scenarios.SCENARIOS):
        ways = tuple(way for way in WITHDRAWALS if way[0] != "CRYPTO" or not scenario.fiat_only)

        def play(merchant: Merchant, way: PlayedMethod, tail: int = scenario.tail or 0) -> Played:
            return withdraw(merchant, way, tail)

        shown = None if scenario is usual else scenario.tail
        yield Play(f"withdrawal-{scenario.tail}", scenario.effect, ways, play, shown)


def withdraw(merchant: Merchant, way: PlayedMethod, tail: int) -> Played:
    """A withdrawal to the documented destination. An outage is retried, as a client would. Raises what the API
    raises.
    """
    example = loads(dumps(WITHDRAWALS[way]))
    thousands = int(example["amount"]) // 1000 if way[1] in ("ARS", "COP", "MXN") else 0
    body = example | {
        "companyId": merchant.company_id,
        "amount": thousands * 1000 + tail,
        "reference": f"lab-{secrets.token_hex(6)}",
    }
    body.pop("minimumAssetAmount", None)
    draft = replace(validated(BODIES[way[0]], body, merchant).draft(merchant, Requester()), is_from_backend=False)
    with transaction.atomic():
        begun = withdrawals.begin(merchant, draft)
    if not isinstance(begun, PayoutOrder):
        return Played(begun.id)
    at_first = None
    try:
        withdrawals.admit(merchant, begun, tries=1)
    except Refusal as refusal:
        at_first = refusal
        withdrawals.admit(merchant, begun, tries=2)
    with transaction.atomic():
        made = withdrawals.create(merchant, draft, begun.withdrawal_id)
    return Played(made.id, at_first)


# ── Conversions ───────────────────────────────────────────────────────────────────────────────────────────────────
def _conversions() -> Iterator[Play]:
    for scenario in conversion_scenarios.SCENARIOS:

        def play(merchant: Merchant, way: PlayedMethod, tail: int = scenario.tail) -> Played:
            return convert(merchant, Decimal(tail))

        yield Play(f"conversion-{scenario.tail}", scenario.effect, (_PIX,), play, scenario.tail)


def convert(merchant: Merchant, amount: Decimal) -> Played:
    """A quote that is confirmed two seconds later by the sandbox clock. Raises what the API raises."""
    quoted = conversions.quote(merchant, conversions.ConversionDraft("PIX", "SPEI", amount))
    simulations.advance(merchant, by=timedelta(seconds=2))
    with transaction.atomic():
        made = conversions.confirm(merchant, sign(quoted))
    return Played(made.id)
