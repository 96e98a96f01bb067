"""Stripe's objects as far as they are read. Unknown members are ignored."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from decimal import Decimal

from pydantic.dataclasses import dataclass

from gateway.methods.card.cards import Tokenized

ZERO_DECIMALS = (
    "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
)  # fmt: skip
THREE_DECIMALS = ("BHD", "JOD", "KWD", "OMR", "TND")
"""docs.stripe.com/currencies; all others have two, whatever decimals people use."""


def decimals(currency: str) -> int:
    """Of Stripe's amounts."""
    return 0 if currency in ZERO_DECIMALS else 3 if currency in THREE_DECIMALS else 2


def minor(amount: Decimal, currency: str) -> int:
    """The amount as Stripe counts it. Raises ValueError for a fraction of its smallest unit."""
    scaled = amount.scaleb(decimals(currency))
    if scaled != scaled.to_integral_value():
        raise ValueError(f"{currency} has {decimals(currency)} decimals at Stripe")
    return int(scaled)


def exact(amount: int, currency: str) -> Decimal:
    """The inverse of `minor`."""
    return Decimal(amount).scaleb(-decimals(currency))


@dataclass(frozen=True, slots=True)
class NetworkToken:
    """Whether the card scheme's token was charged in place of the number."""

    used: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """What kind of card it is. `funding` is credit, debit, prepaid or unknown."""

    brand: str
    last4: str
    funding: str
    exp_month: int | None = None
    exp_year: int | None = None
    network_token: NetworkToken | None = None

    def snapshot(self) -> dict[str, str]:
        return {"brand": self.brand, "last4": self.last4, "funding": self.funding}


@dataclass(frozen=True, slots=True)
class PaidBy:
    """A payment method, or the details of one in a charge."""

    card: Card | None = None
    id: str | None = None
    customer: str | None = None


@dataclass(frozen=True, slots=True)
class Charge:
    id: str
    payment_method_details: PaidBy | None = None


@dataclass(frozen=True, slots=True)
class LastError:
    """Why the last confirmation failed."""

    type: str = "card_error"
    code: str | None = None
    decline_code: str | None = None
    payment_method: PaidBy | None = None


@dataclass(frozen=True, slots=True)
class Intent:
    """A payment intent."""

    id: str
    status: str
    amount: int
    currency: str
    client_secret: str | None = None
    amount_received: int | None = None
    latest_charge: Charge | str | None = None
    payment_method: PaidBy | str | None = None
    last_payment_error: LastError | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    customer: str | None = None

    @property
    def charge(self) -> str:
        """The id of the money."""
        charge = self.latest_charge
        return charge.id if isinstance(charge, Charge) else charge or self.id

    @property
    def card(self) -> Card | None:
        """The card of the charge, else of the payment method that was chosen."""
        if isinstance(self.latest_charge, Charge) and self.latest_charge.payment_method_details:
            return self.latest_charge.payment_method_details.card
        if isinstance(self.payment_method, PaidBy):
            return self.payment_method.card
        return None

    @property
    def tokenized(self) -> Tokenized | None:
        """The payment method, if Stripe keeps it for the customer."""
        method, card = self.payment_method, self.card
        if self.customer is None or card is None or not isinstance(method, PaidBy) or method.id is None:
            return None
        is_network_token = card.network_token is not None and card.network_token.used
        return Tokenized(self.customer, method.id, card.exp_month, card.exp_year, is_network_token)


@dataclass(frozen=True, slots=True)
class Customer:
    """Of one saved card; `deleted` once it is."""

    id: str
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Refund:
    id: str
    status: str
    amount: int
    currency: str
    failure_reason: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Movement:
    """A balance transaction: what was taken is negative."""

    amount: int


@dataclass(frozen=True, slots=True)
class EvidenceDetails:
    """`due_by` is 0 or nothing where no answer is possible."""

    due_by: int | None = None
    submission_count: int = 0


@dataclass(frozen=True, slots=True)
class Dispute:
    """`charge` is the disputed one, in full if it is expanded."""

    id: str
    charge: Charge | str
    amount: int
    currency: str
    status: str
    reason: str = "general"
    evidence_details: EvidenceDetails = field(default_factory=EvidenceDetails)
    balance_transactions: Sequence[Movement] = ()

    @property
    def money(self) -> str:
        """The id of the charge."""
        return self.charge.id if isinstance(self.charge, Charge) else self.charge


@dataclass(frozen=True, slots=True)
class File:
    id: str
