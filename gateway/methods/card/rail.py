"""Cards: the payer types into fields that the shop cannot read; the issuer may require a confirmation."""

import secrets
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Literal, NotRequired

from typing_extensions import TypedDict

from accounts.base.errors import Fault
from accounts.base.wire import Timestamp
from accounts.models import Environment
from gateway.customers.payer import Payer
from gateway.methods import documents
from gateway.methods.card.cards import Card, Plays, StoredCard
from gateway.methods.card.sandbox_cards import STORED_CARDS
from gateway.methods.rail import Market, PaymentAction, PaymentDraft, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail
from gateway.methods.scenarios import scenario_of

SESSION_S, RESULT_S, CAPTURE_S = 30 * 60, 24 * 3600, 7 * 24 * 3600
"""How long the fields are open, a confirmation may take, and an authorized payment waits for its capture."""
HOSTED_TAIL = 916
_LIMITS = {
    "BRL": ("0.50", 50_000),
    "USD": ("0.50", 10_000),
    "EUR": ("0.50", 10_000),
    "MXN": ("10", 200_000),
    "COP": ("2000", 50_000_000),
    "ARS": ("500", 15_000_000),
}
_REFUSED = {
    Plays.REFUSED: ("CARD_REFUSED", "The card's bank refused the payment."),
    Plays.INSUFFICIENT_FUNDS: ("INSUFFICIENT_FUNDS", "The card does not have enough funds."),
    Plays.EXPIRED: ("EXPIRED_CARD", "The card has expired."),
    Plays.INVALID_CVV: ("INVALID_CVV", "The security code is wrong."),
    Plays.UNKNOWN: ("TEST_CARD_UNKNOWN", "The sandbox takes its own test cards only."),
}
THREE_DS_REFUSED = ("THREE_DS_REFUSED", "The holder's confirmation was refused.")


class ConfirmCardPayload(TypedDict):
    """Mount the secure fields with `clientSecret`, or send the payer to `checkoutUrl`. Events carry no secrets."""

    type: Literal["CONFIRM_CARD"]
    integrationMode: Literal["SECURE_FIELDS", "HOSTED"]
    clientSecret: NotRequired[str]
    sessionToken: NotRequired[str]
    checkoutUrl: NotRequired[str]
    expiresAt: Timestamp


class WarningPayload(TypedDict):
    """The card was of the other type, and the payment was processed as that."""

    code: str
    field: str
    requestedMethod: str
    processedMethod: str
    message: str


def _markets(percentage: Decimal, *, settlement_days: int, advance_rate: Decimal) -> tuple[Market, ...]:
    return tuple(
        Market(
            currency=currency,
            flow="CARD",
            minimum=Decimal(minimum),
            maximum=Decimal(maximum),
            percentage=percentage,
            fixed=Decimal(0),
            settlement_days=settlement_days,
            expires_in_s=SESSION_S,
            expires_in_range_s=None,
            refund_window_days=180,
            advance_monthly_rate=advance_rate,
        )
        for currency, (minimum, maximum) in _LIMITS.items()
    )


class CardRail(Rail):
    """A rail for cards. Charging takes two steps; the cardholder may have to confirm in between."""

    @abstractmethod
    def authorize(self, order: PaymentOrder, card: Card, *, confirmed: bool) -> PaymentOutcome:
        """AUTHORIZED, DECLINED, UNKNOWN, or CHALLENGE until the cardholder has `confirmed`."""


class SandboxCard(SandboxRail, CardRail):
    """The deterministic simulator: a card plays its scenario, and no acquirer is called."""

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        found = []
        if draft.currency == "BRL":
            found += documents.faults(draft.payer.tax_id, draft.payer.tax_id_type, strict=strict)
        if not draft.return_url and not draft.payment_method_token:
            found.append(Fault("returnUrl", "REQUIRED", "This field is required."))
        return found

    def completed(self, payer: Payer) -> Payer:
        return documents.completed(payer)

    def stored_card(self, token: str) -> StoredCard | None:
        return next((one for one in STORED_CARDS if one.token == token), None)

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        """A session for the browser; a saved card is charged directly, and needs a session only for a challenge."""
        mode = "HOSTED" if _is_hosted(order) else order.integration_mode
        session = {"session": {"integrationMode": mode}}
        if order.stored_card is None:
            return PaymentOutcome(PaymentResult.SESSION, session)
        outcome = self.authorize(order, order.stored_card.card, confirmed=False)
        if outcome.answered == PaymentResult.CHALLENGE:
            return PaymentOutcome(PaymentResult.SESSION, session | dict(outcome.details))
        return outcome

    def authorize(self, order: PaymentOrder, card: Card, *, confirmed: bool) -> PaymentOutcome:
        if card.plays in (Plays.CHALLENGE, Plays.CHALLENGE_REFUSED) and not confirmed:
            return PaymentOutcome(PaymentResult.CHALLENGE, {"challenge": secrets.token_urlsafe(24)})
        if card.plays == Plays.CHALLENGE_REFUSED:
            return PaymentOutcome(PaymentResult.DECLINED, failure=THREE_DS_REFUSED)
        if card.plays == Plays.TIMEOUT:
            return PaymentOutcome(PaymentResult.UNKNOWN, {"unanswered": True}, expires_after_s=RESULT_S)
        if failure := _REFUSED.get(card.plays):
            return PaymentOutcome(PaymentResult.DECLINED, failure=failure)
        code = f"{secrets.randbelow(10**6):06}"
        later = order.stored_card.captured_after_s if order.stored_card else None
        return PaymentOutcome(
            PaymentResult.AUTHORIZED,
            {"authorizationCode": code},
            reference=code,
            ask_after_s=later,
            expires_after_s=CAPTURE_S,
        )

    def capture(self, order: PaymentOrder) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.DONE)

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        """Captures an authorized payment when due; a reviewed payment gets its session then."""
        if about == PaymentAction.CAPTURE:
            return self.capture(order)
        if about == PaymentAction.REVIEW:
            return PaymentOutcome(PaymentResult.CLEARED, ask_after_s=0)
        return self.instructions(order)

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing: what the browser needs depends on the payment's status, and is added where that is known."""
        return {}


class SandboxCreditCard(SandboxCard):
    """Settled in thirty days."""

    method: ClassVar[str] = "CREDIT_CARD"
    markets: ClassVar[tuple[Market, ...]] = _markets(Decimal("3.99"), settlement_days=30, advance_rate=Decimal("2.50"))


class SandboxDebitCard(SandboxCard):
    """Settled the next day. Prepaid cards are of this kind."""

    method: ClassVar[str] = "DEBIT_CARD"
    markets: ClassVar[tuple[Market, ...]] = _markets(Decimal("1.99"), settlement_days=1, advance_rate=Decimal("1.50"))


def _is_hosted(order: PaymentOrder) -> bool:
    scenario = scenario_of(order.method, order.amount, order.currency)
    return scenario is not None and scenario.tail == HOSTED_TAIL


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxCreditCard(), SandboxDebitCard()]}
