"""The two methods of paying by card: what holds in the sandbox and at every acquirer."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, Literal, NotRequired

from typing_extensions import TypedDict

from accounts.base.errors import Fault
from accounts.base.wire import Timestamp
from gateway.customers.payer import Payer
from gateway.methods import documents
from gateway.methods.rail import Market, PaymentDraft, Rail

SESSION_S, RESULT_S, CAPTURE_S = 30 * 60, 24 * 3600, 7 * 24 * 3600
"""How long the fields are open, a confirmation may take, and an authorized payment waits for its capture."""
_LIMITS = {
    "BRL": ("0.50", 50_000),
    "USD": ("0.50", 10_000),
    "EUR": ("0.50", 10_000),
    "MXN": ("10", 200_000),
    "COP": ("2000", 50_000_000),
    "ARS": ("500", 15_000_000),
}


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


class CardMethod(Rail):
    """Common to both: the payer types into fields that the shop cannot read."""

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        found = []
        if draft.currency == "BRL":
            found += documents.faults(draft.payer.tax_id, draft.payer.tax_id_type, strict=strict)
        if not draft.return_url and not draft.payment_method_token:
            found.append(Fault("returnUrl", "REQUIRED", "This field is required."))
        if draft.save_payment_method and draft.payment_method_token:
            found.append(Fault("savePaymentMethod", "NOT_ALLOWED", "The card of a token is saved already."))
        elif draft.save_payment_method and not (draft.payer.tax_id or draft.payer.email):
            found.append(Fault("payer.email", "REQUIRED", "A card is saved for a payer with a tax id or an e-mail."))
        return found

    def completed(self, payer: Payer) -> Payer:
        return documents.completed(payer)

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing: what the browser needs depends on the payment's status, and is added where that is known."""
        return {}


class CreditCard(CardMethod):
    """Settled in thirty days."""

    method: ClassVar[str] = "CREDIT_CARD"
    markets: ClassVar[tuple[Market, ...]] = _markets(Decimal("3.99"), settlement_days=30, advance_rate=Decimal("2.50"))


class DebitCard(CardMethod):
    """Settled the next day. Prepaid cards are of this kind."""

    method: ClassVar[str] = "DEBIT_CARD"
    markets: ClassVar[tuple[Market, ...]] = _markets(Decimal("1.99"), settlement_days=1, advance_rate=Decimal("1.50"))
