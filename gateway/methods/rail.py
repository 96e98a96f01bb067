"""What a payment method must implement. A rail gets plain values, never a Payment, and stores nothing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from accounts.base.errors import Fault
from gateway.customers.payer import Payer
from gateway.vault.stored import StoredCard


class PaymentAction(StrEnum):
    """An action of the provider, or of time."""

    CREATE = "create"  # make it payable
    PREPARE = "prepare"  # make it payable, asked later or again
    REVIEW = "review"  # the security review
    PAY = "pay"  # the payer's money, or their card
    CAPTURE = "capture"  # settle an authorized card
    EXPIRE = "expire"  # the payer's time
    REFUND = "refund"  # money back


class PaymentResult(StrEnum):
    """A provider's result. No clear answer is UNKNOWN, never DECLINED."""

    WAITING = "waiting"  # accepted; it is the payer's turn
    SESSION = "session"  # a card session is ready
    CHECKOUT = "checkout"  # a checkout page is ready
    REVIEW = "review"  # held for a security review
    CLEARED = "cleared"  # the review found nothing
    CHALLENGE = "challenge"  # the holder of the card must confirm
    AUTHORIZED = "authorized"
    DONE = "done"
    PARTLY = "partly"
    DECLINED = "declined"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PaymentOutcome:
    """An answer: what it was, what is new in the payment's details, and why not, when it was no.

    `reference` is the party's own id of the money, by which support finds it.
    `amount` and `currency`, where the party says them, are compared with what was asked.
    `ask_after_s`, where the answer is not the last one, is when the party is to be asked what became of it, and
    `expires_after_s` how long that may take, where it is another time than the payer's.
    """

    answered: PaymentResult
    details: Mapping[str, Any] = field(default_factory=dict)
    failure: tuple[str, str] | None = None
    reference: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    ask_after_s: int | None = None
    expires_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Market:
    """Where a method is offered, and the terms that staff find there at first (contract §4.1).

    `flow` is what the payer is given, in the words of contract §9.1.
    """

    currency: str
    flow: str
    minimum: Decimal
    maximum: Decimal
    percentage: Decimal
    fixed: Decimal
    settlement_days: int
    expires_in_s: int
    expires_in_range_s: tuple[int, int] | None
    refund_window_days: int
    advance_monthly_rate: Decimal | None = None

    @property
    def sends_the_payer_away(self) -> bool:
        """Whether the payer acts on a page of ours and comes back to the shop's `returnUrl`."""
        return self.flow in ("REDIRECT", "CARD")


@dataclass(frozen=True, slots=True)
class PaymentDraft:
    """What a request says that a method may have rules about: as sent, and perhaps wrong. `now` is by the clock."""

    payer: Payer
    now: datetime
    currency: str
    due_date: str | None = None
    return_url: str | None = None
    payment_method_token: str | None = None


@dataclass(frozen=True, slots=True)
class PaymentOrder:
    """What a rail is told about a payment that it shall make payable. `asked_times` counts this time too."""

    payment_id: str
    method: str
    amount: Decimal
    currency: str
    beneficiary: str
    city: str
    payer: Payer
    created_at: datetime
    expires_at: datetime
    due_date: date | None = None
    asked_times: int = 1
    integration_mode: str = "SECURE_FIELDS"
    stored_card: StoredCard | None = None


class Rail(ABC):
    """A payment method in some markets, or its sandbox simulator. Found in its folder: `methods/<method>/rail.py`."""

    method: ClassVar[str]
    markets: ClassVar[tuple[Market, ...]]

    @abstractmethod
    def faults(self, wish: PaymentDraft, *, strict: bool) -> list[Fault]:
        """What is missing or wrong for this method. `strict` also verifies check digits (production)."""

    @abstractmethod
    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        """What the payer needs to pay. Raises RailUnavailable or InvalidResponse when no clear answer comes."""

    @abstractmethod
    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        """What became of it, where an answer said when to ask (`ask_after_s`)."""

    @abstractmethod
    def refund(self, amount: Decimal, currency: str, at: datetime) -> PaymentOutcome:
        """Pays money back: DONE with the party's own id of it, DECLINED, or UNKNOWN while it is on its way."""

    @abstractmethod
    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """The members of the payment object that belong to this method, out of details that instruct."""

    def asks_outside(self, order: PaymentOrder) -> bool:
        """Whether `instruct` waits for somebody else, so that it must not run inside a transaction."""
        return False

    def market(self, currency: str) -> Market:
        """The market of one of its currencies."""
        return next(market for market in self.markets if market.currency == currency)

    def completed(self, payer: Payer) -> Payer:
        """The payer with what this method knows to be meant: a country code, the kind of a document."""
        return payer

    def deadline(self, created_at: datetime, expires_in_s: int, due_date: date | None) -> datetime:
        """When the payer's time ends."""
        return created_at + timedelta(seconds=expires_in_s)
