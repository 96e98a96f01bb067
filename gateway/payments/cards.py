"""Card payments as confirmed by the payer's browser. The first confirmation decides."""

from dataclasses import dataclass

from django.db import transaction

from accounts.base import clock
from gateway.methods.card import tokens
from gateway.methods.card.cards import Card
from gateway.methods.card.rail import THREE_DS_REFUSED, CardRail
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import links, provider
from gateway.payments.errors import PaymentState
from gateway.payments.models import Payment, Status
from gateway.payments.pricing import correct

NOT_TAKEN = ("ACQUIRER_REFUSED", "The company takes no payments at the moment.")


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The payment afterwards; `challenge` names what the cardholder must confirm first."""

    payment: Payment
    challenge: str | None = None


def is_confirmable(payment: Payment) -> bool:
    """Whether the browser can still act: the session is open and no card has been charged."""
    return (
        payment.status == Status.ACTION_REQUIRED
        and "session" in payment.details
        and payment.expires_at is not None
        and clock.now(payment.merchant) < payment.expires_at
    )


@transaction.atomic(savepoint=False)
def confirm(payment: Payment, card_token: str | None) -> Confirmation:
    """Charges the card of a token; the result is final. A pending challenge is returned again.

    If another page was faster, its result is returned. Raises PaymentState if the session expired without a card, and
    CardTokenInvalid.
    """
    payment = provider.lock(payment.merchant, payment.id)
    if "card" in payment.details and not is_confirmable(payment):
        return Confirmation(payment)
    _require_confirmable(payment)
    challenge = payment.details.get("challenge")
    if challenge:
        return Confirmation(payment, challenge)
    if card_token is None:
        raise PaymentState
    card = tokens.use(payment.id, card_token)
    payment.details = payment.details | {"card": card.snapshot()}
    if failure := correct(payment, card.funding):
        return _take(payment, PaymentOutcome(PaymentResult.DECLINED, failure=failure))
    return _charge(payment, card, confirmed=False)


@transaction.atomic(savepoint=False)
def answer_challenge(payment: Payment, challenge: str, *, approves: bool) -> Confirmation:
    """The cardholder's answer to their bank. Raises PaymentState if the session expired or another question is open."""
    payment = _held(payment)
    if payment.details.get("challenge") != challenge:
        raise PaymentState
    if not approves:
        return _take(payment, PaymentOutcome(PaymentResult.DECLINED, failure=THREE_DS_REFUSED))
    return _charge(payment, Card.of(payment.details["card"]), confirmed=True)


def _held(payment: Payment) -> Payment:
    payment = provider.lock(payment.merchant, payment.id)
    _require_confirmable(payment)
    return payment


def _require_confirmable(payment: Payment) -> None:
    if not is_confirmable(payment):
        raise PaymentState


def _charge(payment: Payment, card: Card, *, confirmed: bool) -> Confirmation:
    rail = provider.simulator_of(payment)
    assert isinstance(rail, CardRail)
    if not payment.merchant.is_operational:
        return _take(payment, PaymentOutcome(PaymentResult.DECLINED, failure=NOT_TAKEN))
    return _take(payment, rail.authorize(provider.order_of(payment), card, confirmed=confirmed))


def _take(payment: Payment, outcome: PaymentOutcome) -> Confirmation:
    payment = provider.finish(payment, PaymentAction.PAY, outcome, clock.now(payment.merchant))
    payment = provider.capture_if_authorized(payment)
    return Confirmation(payment, outcome.details.get("challenge"))


def challenge_url(payment: Payment, challenge: str) -> str:
    return f"{links.sdk_base()}/sdk/v1/3ds/{payment.id}.{challenge}"
