"""Card payments as confirmed by the payer's browser: a token of the sandbox, or in the fields of an acquirer."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction

from accounts.base import clock
from accounts.base.rows import retry_on_deadlock
from gateway.methods.card import tokens
from gateway.methods.card.acquirer import AcquirerCard
from gateway.methods.card.cards import Card
from gateway.methods.card.rail import THREE_DS_REFUSED, SandboxCard
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import failover, links, provider, saved
from gateway.payments.authorizations import NOT_TAKEN, is_at_acquirer
from gateway.payments.calls import Question, prepare_closing, prepare_confirmation
from gateway.payments.errors import PaymentState
from gateway.payments.models import Payment, Status
from gateway.payments.pricing import correct
from gateway.payments.questions import ask_and_take, take_and_go_on
from gateway.providers.asking import is_leased
from gateway.providers.selectors import rail_of as rail_at


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The payment afterwards. The cardholder may have to confirm first: in the sandbox the `challenge` of this name, at
    an acquirer by the `action` of its browser library.
    """

    payment: Payment
    challenge: str | None = None
    action: Mapping[str, Any] | None = None


def is_confirmable(payment: Payment) -> bool:
    """Whether the browser can still act: the session is open and no card has been charged."""
    return (
        payment.status == Status.ACTION_REQUIRED
        and "session" in payment.details
        and payment.expires_at is not None
        and clock.now(payment.merchant) < payment.expires_at
    )


def needs_card(payment: Payment) -> bool:
    """Whether the payer enters a card. Otherwise one is known, and waits for its holder to confirm."""
    return "challenge" not in payment.details and saved.TOKEN not in payment.details


def fields(payment: Payment) -> dict[str, Any] | None:
    """What the browser needs to mount the fields of the payment's acquirer. None in the sandbox."""
    if not is_at_acquirer(payment):
        return None
    rail = provider.rail_of(payment)
    assert isinstance(rail, AcquirerCard)
    return rail.fields(provider.order_of(payment))


def libraries(payment: Payment) -> list[tuple[str, str]]:
    """Whose libraries the browser loads, acquirer and environment: that of the payment's acquirer first, then that of
    the one that may take over. None in the sandbox.
    """
    if not is_at_acquirer(payment):
        return []
    following = failover.next_account(payment, clock.now(payment.merchant))
    rails = [provider.rail_of(payment)]
    if following:
        rails.append(rail_at(following, payment.method, payment.currency, of=payment.merchant))
    return [rail.library for rail in rails if isinstance(rail, AcquirerCard)]


def confirm_at_acquirer(payment: Payment, given: Mapping[str, Any] | None) -> Confirmation:
    """Asks the acquirer about the card that the payer confirmed in its fields, and captures what it authorized.

    `given` is what its browser library handed over; it is stored nowhere. While another process asks the acquirer
    nothing is asked: the payment stays ACTION_REQUIRED, and the browser confirms again. Afterwards the payment may be
    at another acquirer, where the payer has not confirmed. Never call it inside a transaction. Raises PaymentState if
    the session expired.
    """
    question = retry_on_deadlock(partial(_begin, payment, given))
    if isinstance(question, Payment):
        return Confirmation(question)
    answer = question.put()
    payment = take_and_go_on(payment.merchant, question, answer)
    if answer.outcome.answered == PaymentResult.CHALLENGE and is_confirmable(payment):
        return Confirmation(payment, action=answer.outcome.details["action"])
    return Confirmation(payment)


@transaction.atomic
def _begin(payment: Payment, given: Mapping[str, Any] | None) -> Question | Payment:
    """The question to put after the commit; or the payment, if it is decided or the acquirer is being asked."""
    account_id, payment = payment.account_id, provider.lock(payment.merchant, payment.id)
    if payment.status != Status.ACTION_REQUIRED or payment.account_id != account_id:
        return payment
    _require_confirmable(payment)
    return payment if is_leased(payment) else prepare_confirmation(payment, given, clock.now(payment.merchant))


def fields_unavailable(payment: Payment) -> Payment:
    """The browser could not mount the acquirer's fields: they are closed, and another acquirer takes over, if there is
    one and nobody has confirmed. Never call it inside a transaction. Raises PaymentState if the session expired.
    """
    question = retry_on_deadlock(partial(_close_fields, payment))
    return question if isinstance(question, Payment) else ask_and_take(payment.merchant, question)


@transaction.atomic
def _close_fields(payment: Payment) -> Question | Payment:
    account_id, payment = payment.account_id, provider.lock(payment.merchant, payment.id)
    if payment.status != Status.ACTION_REQUIRED or payment.account_id != account_id:
        return payment
    _require_confirmable(payment)
    at = clock.now(payment.merchant)
    if is_leased(payment) or "confirmed" in payment.details or not failover.next_account(payment, at):
        return payment
    return prepare_closing(payment, at)


@transaction.atomic(savepoint=False)
def confirm(payment: Payment, card_token: str | None) -> Confirmation:
    """Charges the card of a sandbox token; the result is final, unless another acquirer is played. A pending challenge
    is returned again.

    If another page was faster, its result is returned. Raises PaymentState if the session expired without a card, and
    CardTokenInvalid.
    """
    was_moved, payment = failover.has_moved(payment), provider.lock(payment.merchant, payment.id)
    if failover.has_moved(payment) != was_moved or ("card" in payment.details and not is_confirmable(payment)):
        return Confirmation(payment)
    _require_confirmable(payment)
    challenge = payment.details.get("challenge")
    if challenge:
        return Confirmation(payment, challenge)
    if card_token is None:
        raise PaymentState
    card = tokens.use(payment.id, card_token)
    if not failover.has_moved(payment) and _simulator(payment).refuses_first(provider.order_of(payment)):
        return Confirmation(_moved(payment))
    payment.details = payment.details | {"card": card.snapshot(with_expiry=saved.SAVES in payment.details)}
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
    if not payment.merchant.is_operational:
        return _take(payment, PaymentOutcome(PaymentResult.DECLINED, failure=NOT_TAKEN))
    return _take(payment, _simulator(payment).authorize(provider.order_of(payment), card, confirmed=confirmed))


def _simulator(payment: Payment) -> SandboxCard:
    rail = provider.simulator_of(payment)
    assert isinstance(rail, SandboxCard)
    return rail


def _moved(payment: Payment) -> Payment:
    session = _simulator(payment).instructions(provider.order_of(payment))
    return failover.play(payment, session, clock.now(payment.merchant))


def _take(payment: Payment, outcome: PaymentOutcome) -> Confirmation:
    asked = PaymentAction.PAY if outcome.answered == PaymentResult.DECLINED else PaymentAction.AUTHORIZE
    payment = provider.finish(payment, asked, outcome, clock.now(payment.merchant))
    payment = provider.capture_if_authorized(payment)
    return Confirmation(payment, outcome.details.get("challenge"))


def challenge_url(payment: Payment, challenge: str) -> str:
    return f"{links.sdk_base()}/sdk/v1/3ds/{payment.id}.{challenge}"
