"""What a payment method must be able to do. A rail gets plain values, never a Payment, and keeps nothing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from accounts.errors import Fault
from gateway.customers.payer import Payer


class Answered(StrEnum):
    """What an outside party answered. No clear answer is UNKNOWN, never DECLINED."""

    WAITING = "waiting"  # accepted; it is the payer's turn
    SESSION = "session"  # a card session is ready
    CHECKOUT = "checkout"  # a checkout page is ready
    REVIEW = "review"  # held for a security review
    CLEARED = "cleared"  # the review found nothing
    AUTHORIZED = "authorized"
    DONE = "done"
    PARTLY = "partly"
    DECLINED = "declined"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer: what it was, what is new in the payment's details, and why not, when it was no.

    `reference` is the party's own id of the money, by which support finds it.
    `amount` and `currency`, where the party says them, are compared with what was asked.
    """

    answered: Answered
    details: Mapping[str, Any] = field(default_factory=dict)
    failure: tuple[str, str] | None = None
    reference: str | None = None
    amount: Decimal | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Market:
    """Where a method is offered, and the terms that staff find there at first (contract §4.1)."""

    currency: str
    minimum: Decimal
    maximum: Decimal
    percentage: Decimal
    fixed: Decimal
    settlement_days: int
    expires_in_s: int
    expires_in_range_s: tuple[int, int] | None
    refund_window_days: int


@dataclass(frozen=True, slots=True)
class Wish:
    """What a request says that a method may have rules about: as sent, and perhaps wrong. `now` is by the clock."""

    payer: Payer
    now: datetime
    due_date: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What a rail is told about a payment that it shall make payable."""

    payment_id: str
    amount: Decimal
    currency: str
    beneficiary: str
    city: str
    payer: Payer
    created_at: datetime
    expires_at: datetime
    due_date: date | None = None


class Rail(ABC):
    """A payment method, or its sandbox double. Found by its folder's name: `methods/<method>/rail.py`."""

    method: ClassVar[str]
    flow: ClassVar[str]
    markets: ClassVar[tuple[Market, ...]]

    @abstractmethod
    def faults(self, wish: Wish, *, strict: bool) -> list[Fault]:
        """What is missing or wrong for this method. `strict` also verifies check digits (production)."""

    @abstractmethod
    def instruct(self, order: Order) -> Outcome:
        """What the payer needs to pay. Raises RailUnavailable when the outside party gives no answer."""

    @abstractmethod
    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """The members of the payment object that belong to this method, out of its details."""

    def completed(self, payer: Payer) -> Payer:
        """The payer with what this method knows to be meant: a country code, the kind of a document."""
        return payer

    def deadline(self, created_at: datetime, expires_in_s: int, due_date: date | None) -> datetime:
        """When the payer's time ends."""
        return created_at + timedelta(seconds=expires_in_s)

    def paid(self, at: datetime) -> Outcome:
        """The sandbox payer paid: with the party's own id of the money, where it gives one."""
        return Outcome(Answered.DONE)

    def simulate(self, asked: str, at: datetime) -> Outcome:
        """The outcome that a sandbox merchant asked for: PAID, FAILED or EXPIRED."""
        if asked == "FAILED":
            return Outcome(Answered.DECLINED, failure=("SIMULATED", "The failure was simulated."))
        return self.paid(at) if asked == "PAID" else Outcome(Answered.DONE)
