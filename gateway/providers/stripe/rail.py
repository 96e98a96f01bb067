"""Cards at Stripe: an intent that its fields confirm and we capture. Our ids are idempotency keys and metadata."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import structlog

from accounts.base.sealing import seal, unseal
from gateway.methods.card.acquirer import AcquirerCard
from gateway.methods.card.cards import Tokenized
from gateway.methods.card.method import CreditCard, DebitCard
from gateway.methods.rail import Clawback, PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, RefundOrder
from gateway.providers.browsers import browser_of
from gateway.providers.errors import Unclear
from gateway.providers.stripe import reasons
from gateway.providers.stripe.api import PAYMENT, REFUND, Refused, StripeApi, settled
from gateway.providers.stripe.shapes import Intent, Refund, exact, minor

NO_INTENT = ("NO_PAYMENT_INTENT", "The payment has no payment intent, so Stripe cannot return its money.")
DECLINED = 402
_OPEN = ("requires_payment_method", "requires_confirmation", "requires_action")

log = structlog.get_logger()


class StripeCard(AcquirerCard):
    """Cards of both kinds. Stripe's library confirms in the browser, and asks the holder where the bank wants it."""

    def __init__(self, api: StripeApi, publishable_key: str) -> None:
        self._api, self._publishable_key = api, publishable_key

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        if order.tokenized:
            return self._charge(order, order.tokenized)
        amount, vault = minor(order.amount, order.currency), {}
        if order.saves_card:
            customer = self._api.create_customer(order.payment_id, order.customer_id)
            if isinstance(customer, Refused):
                return _refused(customer)
            vault = {"customer": customer.id, "setup_future_usage": "off_session"}
        intent = self._api.create(order.payment_id, amount, order.currency, **vault)
        return _refused(intent) if isinstance(intent, Refused) else _session(order, intent)

    def _charge(self, order: PaymentOrder, card: Tokenized) -> PaymentOutcome:
        amount = minor(order.amount, order.currency)
        is_present = order.payer_is_present
        intent = self._api.charge(order.payment_id, amount, order.currency, card, payer_is_present=is_present)
        if not isinstance(intent, Refused):
            return _charged(order, intent)
        if intent.status != DECLINED:
            return _refused(intent)
        answered, failure = reasons.of_decline(intent)
        return PaymentOutcome(answered, failure=failure)

    @property
    def library(self) -> tuple[str, str]:
        return "stripe", "live"

    def fields(self, order: PaymentOrder) -> dict[str, Any]:
        return {
            "acquirer": "stripe",
            "publicKey": self._publishable_key,
            "secret": unseal(order.details["secret"].encode()).decode(),
            "account": None,
            "script": browser_of("stripe").script,
        }

    def confirm(self, order: PaymentOrder, given: Mapping[str, Any] | None) -> PaymentOutcome:
        """Only read: Stripe's library has confirmed it in the browser."""
        return self.ask(order, PaymentAction.PAY)

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        """Without its id it is created once more under the same key, which can charge nobody. The charge of a saved
        card is looked for instead: keys last for a day.
        """
        if "intent" not in order.details:
            if "token" not in order.details:
                return self.instruct(order)
            found = self._charged(order)
            return _charged(order, found) if found else PaymentOutcome(PaymentResult.NOT_RECEIVED)
        intent = self._intent(order)
        if about == PaymentAction.PREPARE and intent.status in _OPEN:
            return _session(order, intent)
        return _outcome(order, intent)

    def capture(self, order: PaymentOrder) -> PaymentOutcome:
        """What was captured before is refused, and then read."""
        intent_id = order.details["intent"]
        intent = settled(lambda: self._api.capture(intent_id), lambda: self._intent(order))
        if intent.status in ("succeeded", "canceled"):
            return _outcome(order, intent)
        raise Unclear(f"not captured: it is {intent.status[:40]}")

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        """An intent without an answer was never handed to any browser, so nobody can confirm it; but one that charges a
        saved card may be authorized.
        """
        intent_id = order.details.get("intent")
        if intent_id is None and (found := self._charged(order)):
            intent_id = found.id
        if intent_id is None:
            return PaymentOutcome(PaymentResult.DONE)
        intent = settled(lambda: self._api.cancel(intent_id), lambda: self._intent(order, intent_id))
        if intent.status == "canceled":
            if order.saves_card and intent.customer:  # made for this card alone
                self._api.delete_customer(intent.customer)
            return PaymentOutcome(PaymentResult.DONE)
        if intent.status == "succeeded":
            return PaymentOutcome(PaymentResult.REFUSED)
        raise Unclear(f"not canceled: it is {intent.status[:40]}")

    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        if "intent" not in order.details:
            return PaymentOutcome(PaymentResult.DECLINED, failure=NO_INTENT)
        amount = minor(order.amount, order.currency)
        asked = self._api.refund(order.refund_id, order.details["intent"], amount)
        if not isinstance(asked, Refused):
            return _refund_outcome(order, asked)
        if asked.is_not_started:
            return PaymentOutcome(PaymentResult.NOT_RECEIVED)
        known = self.ask_refund(order, at)
        if known.answered != PaymentResult.NOT_RECEIVED:
            return known
        return PaymentOutcome(PaymentResult.DECLINED, failure=reasons.of_refusal(asked))

    def ask_refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        found = self._api.refunded(order.refund_id, order.details["intent"])
        return _refund_outcome(order, found) if found else PaymentOutcome(PaymentResult.NOT_RECEIVED)

    def clawbacks(self, money: str) -> list[Clawback]:
        """Refunds that people made in Stripe's dashboard: they have no id of ours."""
        return [
            Clawback(
                one.id,
                money,
                exact(one.amount, one.currency.upper()),
                one.currency.upper(),
                "OTHER",
                is_done=one.status == "succeeded",
                is_claim=False,
            )
            for one in self._api.refunds_of(money)
            if REFUND not in one.metadata and one.status in ("succeeded", "pending")
        ]

    def _charged(self, order: PaymentOrder) -> Intent | None:
        return self._api.charged(order.payment_id, order.tokenized.holder) if order.tokenized else None

    def _intent(self, order: PaymentOrder, intent_id: str | None = None) -> Intent:
        intent = self._api.intent(intent_id or order.details["intent"])
        if intent.metadata.get(PAYMENT) != order.payment_id:
            raise Unclear("an answer about another payment")
        return intent


class StripeCreditCard(StripeCard, CreditCard):
    """Credit cards."""


class StripeDebitCard(StripeCard, DebitCard):
    """Debit cards, and prepaid ones."""


def _refused(refused: Refused) -> PaymentOutcome:
    if refused.is_not_started:
        return PaymentOutcome(PaymentResult.NOT_RECEIVED)
    return PaymentOutcome(PaymentResult.REFUSED, failure=reasons.of_refusal(refused))


def _charged(order: PaymentOrder, intent: Intent) -> PaymentOutcome:
    """What became of the charge of a saved card; a session where its holder has to confirm."""
    if intent.status == "requires_action":
        return _session(order, intent)
    outcome = _outcome(order, intent)
    if outcome.answered == PaymentResult.WAITING:
        raise Unclear(f"not charged: it is {intent.status[:40]}")
    if outcome.answered not in (PaymentResult.AUTHORIZED, PaymentResult.DONE):
        return outcome
    return replace(outcome, details={**outcome.details, "intent": intent.id})


def _session(order: PaymentOrder, intent: Intent) -> PaymentOutcome:
    if intent.client_secret is None:
        raise Unclear("an intent without a client secret")
    _require_amount(order, intent)
    details = {
        "session": {"integrationMode": order.integration_mode},
        "intent": intent.id,
        "secret": seal(intent.client_secret.encode()).decode(),
    }
    return PaymentOutcome(PaymentResult.SESSION, details)


def _outcome(order: PaymentOrder, intent: Intent) -> PaymentOutcome:
    card = {"card": intent.card.snapshot()} if intent.card else {}
    tokenized = intent.tokenized if order.saves_card or order.tokenized else None
    if intent.status == "succeeded":
        received = intent.amount if intent.amount_received is None else intent.amount_received
        currency = intent.currency.upper()
        money = exact(received, currency)
        return PaymentOutcome(PaymentResult.DONE, card, None, intent.charge, money, currency, tokenized=tokenized)
    _require_amount(order, intent)
    if intent.status == "requires_capture":
        return PaymentOutcome(PaymentResult.AUTHORIZED, card, reference=intent.charge, tokenized=tokenized)
    if intent.status == "canceled":
        return PaymentOutcome(PaymentResult.DECLINED, failure=reasons.CANCELED)
    if intent.status == "requires_payment_method" and intent.last_payment_error:
        answered, failure = reasons.of_error(intent.last_payment_error)
        used = intent.last_payment_error.payment_method
        card = {"card": used.card.snapshot()} if used and used.card else card
        return PaymentOutcome(answered, card, failure=failure, reference=intent.charge)
    if intent.status in _OPEN:
        return PaymentOutcome(PaymentResult.WAITING)
    return PaymentOutcome(PaymentResult.UNKNOWN)


def _require_amount(order: PaymentOrder, intent: Intent) -> None:
    if (intent.amount, intent.currency.upper()) != (minor(order.amount, order.currency), order.currency):
        log.critical("provider.other_amount", about=order.payment_id)
        raise Unclear("the intent has another amount")


def _refund_outcome(order: RefundOrder, refund: Refund) -> PaymentOutcome:
    currency = refund.currency.upper()
    if (refund.amount, currency) != (minor(order.amount, order.currency), order.currency):
        log.critical("provider.other_amount", about=order.refund_id)
        raise Unclear("the refund has another amount")
    if refund.status == "succeeded":
        return PaymentOutcome(PaymentResult.DONE, {}, None, refund.id, order.amount, currency)
    if refund.status in ("failed", "canceled"):
        why = (refund.failure_reason or "unknown")[:60]
        return PaymentOutcome(PaymentResult.DECLINED, failure=("ACQUIRER_REFUSED", f"The refund failed ({why})."))
    return PaymentOutcome(PaymentResult.UNKNOWN)
