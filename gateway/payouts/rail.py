"""What a payout rail must be able to do. A rail gets plain values, never a Withdrawal, and keeps nothing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from django.db.models import TextChoices

from accounts.base.errors import Fault

DEADLINE_S = 60
"""How long a rail may take for one call, with all its attempts."""


class PayoutResult(StrEnum):
    """What a provider answered about an order. No clear answer is UNKNOWN, never DECLINED."""

    SENT = "sent"  # it has the order
    DONE = "done"  # the beneficiary has the money
    DECLINED = "declined"  # nothing was or will be paid
    RETURNED = "returned"  # the beneficiary's bank sent it back
    NOT_RECEIVED = "not received"  # it never saw an order with this id
    UNKNOWN = "unknown"


class FailureCode(TextChoices):
    """Why a withdrawal did not arrive, or came back (contract §3)."""

    INVALID_DESTINATION = "INVALID_DESTINATION", "The account does not exist."
    BENEFICIARY_MISMATCH = "BENEFICIARY_MISMATCH", "The account belongs to someone else."
    BANK_REJECTED = "BANK_REJECTED", "The beneficiary's bank rejected the money."
    COMPLIANCE_REJECTED = "COMPLIANCE_REJECTED", "The withdrawal was rejected by compliance."
    NETWORK_ERROR = "NETWORK_ERROR", "The network did not accept the transaction."
    RETURNED_BY_BANK = "RETURNED_BY_BANK", "The beneficiary's bank returned the money."

    @property
    def failure(self) -> tuple[str, str]:
        """As a `PayoutOutcome` tells it."""
        return self.value, str(self.label)


@dataclass(frozen=True, slots=True)
class PayoutOutcome:
    """An answer. `reference` is the party's own id of the money; `failure` is a code of contract §3 and a sentence.

    `ask_after_s` is when the party is to be asked what became of it, where this answer is not the last.
    """

    answered: PayoutResult
    reference: str | None = None
    failure: tuple[str, str] | None = None
    ask_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class PayoutMarket:
    """What a rail pays out, and the terms that staff find there at first (contract §11).

    `currency` is what the beneficiary receives; the limits are in it. `network_fee` is taken from what is paid out.
    """

    currency: str
    minimum: Decimal
    maximum: Decimal
    network_fee: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class PayoutOrder:
    """What a rail is told about a withdrawal. The party keeps the id and never carries it out twice.

    `amount` was asked for in the `currency` of the wallet; the beneficiary receives `payout_amount`. `has_arrived`:
    the party said so, and may now say that it came back.
    """

    withdrawal_id: str
    rail: str
    amount: Decimal
    currency: str
    payout_amount: Decimal
    payout_currency: str
    destination: Mapping[str, str] = field(repr=False)
    sender: str
    sent_times: int = 0
    has_arrived: bool = False


class PayoutRail(ABC):
    """A way for money to leave in some currencies, or its sandbox simulator. Found in `payouts/<rail>/rail.py`."""

    rail: ClassVar[str]
    markets: ClassVar[tuple[PayoutMarket, ...]]
    members: ClassVar[tuple[str, ...]]
    """The members of a request that say where the money goes."""
    reference_name: ClassVar[str]
    """What the party's own id of the money is called in answers."""
    returns: ClassVar[bool] = True
    """Whether money can come back after it arrived."""

    @abstractmethod
    def faults(self, wish: Mapping[str, Any], *, strict: bool) -> list[Fault]:
        """What is wrong with where the money shall go, of a request that may be wrong in any way.

        Numbers of accounts and addresses are always verified by their check digits or checksum; documents of
        beneficiaries only where `strict` (production).
        """

    @abstractmethod
    def destination(self, wish: Mapping[str, str]) -> dict[str, str]:
        """Where the money goes, in the party's own words, out of members without faults."""

    @abstractmethod
    def shown(self, destination: Mapping[str, str]) -> dict[str, str | None]:
        """The destination as everybody may see it: masked."""

    @abstractmethod
    def send(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        """Hands the order over. Sent again with the same id, it is the same order.

        Ends within `DEADLINE_S`, come what may: after that somebody else may ask.
        """

    @abstractmethod
    def ask(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        """What became of an order that was handed over, perhaps: nothing is sent. Ends within `DEADLINE_S`."""

    def is_asked_first(self, order: PayoutOrder) -> bool:
        """Whether the party must say, before anything is written, that it takes this order."""
        return False

    def admit(self, order: PayoutOrder, *, tries: int) -> None:
        """Asks that. Never inside a transaction. Refuses with ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE."""
        raise NotImplementedError

    def market(self, currency: str) -> PayoutMarket:
        """What it pays out in this currency."""
        return next(market for market in self.markets if market.currency == currency)


def masked(text: str, *, head: int = 0, tail: int = 4) -> str:
    """The text with stars for everything but its ends; of a short one less than half is shown."""
    tail = min(tail, max(len(text) // 2 - 1, 0))
    hidden = max(len(text) - head - tail, 0)
    return f"{text[:head]}{'*' * hidden}{text[head + hidden :]}"
