"""The interface of a payout rail. A rail gets plain values, never a Withdrawal, and stores nothing."""

import re
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
"""The maximum duration of one call of a rail, including retries."""


class PayoutResult(StrEnum):
    """A provider's answer about an order. No clear answer is UNKNOWN, never DECLINED."""

    SENT = "sent"  # it has the order
    DONE = "done"  # the beneficiary has the money
    DECLINED = "declined"  # nothing was or will be paid
    RETURNED = "returned"  # the beneficiary's bank sent it back
    NOT_RECEIVED = "not received"  # it never received an order with this id
    UNKNOWN = "unknown"


class FailureCode(TextChoices):
    """Why a withdrawal failed or was returned (contract §3)."""

    INVALID_DESTINATION = "INVALID_DESTINATION", "The account does not exist."
    BENEFICIARY_MISMATCH = "BENEFICIARY_MISMATCH", "The account belongs to someone else."
    BANK_REJECTED = "BANK_REJECTED", "The beneficiary's bank rejected the money."
    COMPLIANCE_REJECTED = "COMPLIANCE_REJECTED", "The withdrawal was rejected by compliance."
    NETWORK_ERROR = "NETWORK_ERROR", "The network did not accept the transaction."
    RETURNED_BY_BANK = "RETURNED_BY_BANK", "The beneficiary's bank returned the money."
    APPROVAL_REJECTED = "APPROVAL_REJECTED", "An approver of the company rejected the withdrawal."
    APPROVAL_EXPIRED = "APPROVAL_EXPIRED", "The withdrawal was not approved in time."

    @property
    def failure(self) -> tuple[str, str]:
        """In the form of `PayoutOutcome`."""
        return self.value, str(self.label)


DECLINES = (
    FailureCode.INVALID_DESTINATION,
    FailureCode.BENEFICIARY_MISMATCH,
    FailureCode.BANK_REJECTED,
    FailureCode.COMPLIANCE_REJECTED,
    FailureCode.NETWORK_ERROR,
)
"""With which a provider declines an order."""


@dataclass(frozen=True, slots=True)
class PayoutOutcome:
    """An answer. `reference` is the provider's id of the money; `failure` is a code of contract §3 and a sentence.

    `ask_after_s`: when to ask the provider again, if this answer is not final, or for returns. `details` are members of
    the withdrawal that only the provider knows.
    """

    answered: PayoutResult
    reference: str | None = None
    failure: tuple[str, str] | None = None
    ask_after_s: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PayoutMarket:
    """A payout currency of a rail, and its default terms (contract §11).

    `currency` is what the beneficiary receives; limits are in it. `network_fee` is deducted from the payout.
    """

    currency: str
    minimum: Decimal
    maximum: Decimal
    network_fee: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class PayoutOrder:
    """The order that a rail receives for a withdrawal. The provider stores the id and never pays it twice.

    `amount` is in the wallet's `currency`; the beneficiary receives `payout_amount`. `has_arrived`: the provider
    confirmed it, and may now report a return. `sent_at` is when it was handed over last.
    """

    withdrawal_id: str
    rail: str
    amount: Decimal
    currency: str
    payout_amount: Decimal
    payout_currency: str
    destination: Mapping[str, str] = field(repr=False)
    sender: str
    sent_at: datetime | None = None
    sent_times: int = 0
    asked_times: int = 0
    has_arrived: bool = False


class PayoutRail(ABC):
    """A payout rail for some currencies: a simulator of the sandbox, discovered in `payouts/<rail>/rail.py`, or that of
    an institution, which its provider makes with the credentials of an account.
    """

    rail: ClassVar[str]
    markets: ClassVar[tuple[PayoutMarket, ...]]
    members: ClassVar[tuple[str, ...]]
    """The members of a request that name the destination."""
    account_members: ClassVar[tuple[str, ...]]
    """The members of a destination that name the account. The others only describe it."""
    reference_name: ClassVar[str]
    """The name of the provider's id in responses."""
    reference_form: ClassVar[re.Pattern[str]] = re.compile(r".+")
    """The ids that have that name. Others of the provider, such as a bank's of a TED, are for staff alone."""
    returns: ClassVar[bool] = True
    """Whether money can be returned after it arrived."""
    is_by_batch: ClassVar[bool] = False
    """Whether orders wait for a file, or for people: then nobody is called, and `send` and `ask` never are."""

    @abstractmethod
    def faults(self, draft: Mapping[str, Any], *, strict: bool) -> list[Fault]:
        """What is wrong with the destination of a request, which may be invalid in any way.

        Account numbers and addresses are always verified by check digits or checksum; documents of beneficiaries
        only if `strict` (production).
        """

    @abstractmethod
    def destination(self, draft: Mapping[str, str]) -> dict[str, str]:
        """The destination in the provider's format, from valid members."""

    @abstractmethod
    def shown(self, destination: Mapping[str, str]) -> dict[str, str | None]:
        """The destination, masked for display."""

    def account(self, destination: Mapping[str, str]) -> dict[str, str]:
        """The members of a destination that name the account: the same for the same account, however it is written."""
        return {name: destination[name].casefold() for name in self.account_members if name in destination}

    @abstractmethod
    def send(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        """Sends the order. Repeated with the same id, it is the same order.

        Ends within `DEADLINE_S` in any case: after that another process may query it.
        """

    @abstractmethod
    def ask(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        """Queries an order that was possibly sent; sends nothing. Ends within `DEADLINE_S`."""

    def is_asked_first(self, order: PayoutOrder) -> bool:
        """Whether the provider must admit the order before anything is stored."""
        return False

    def admit(self, order: PayoutOrder, *, tries: int) -> None:
        """Asks the provider, never inside a transaction. Raises ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE."""
        raise NotImplementedError

    def proof(self, reference: str | None) -> str | None:
        """The provider's id, if it is what `reference_name` calls it."""
        return reference if reference and self.reference_form.fullmatch(reference) else None

    def market(self, currency: str) -> PayoutMarket:
        """The market of a payout currency."""
        return next(market for market in self.markets if market.currency == currency)


class PaidByBatch(PayoutRail):
    """An institution that is paid by file, or people who pay by hand: a withdrawal waits for them in a queue."""

    is_by_batch: ClassVar[bool] = True

    def send(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        raise NotImplementedError

    def ask(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        raise NotImplementedError


def masked(text: str, *, head: int = 0, tail: int = 4) -> str:
    """The text with asterisks except for its ends; of a short text less than half is shown."""
    tail = min(tail, max(len(text) // 2 - 1, 0))
    hidden = max(len(text) - head - tail, 0)
    return f"{text[:head]}{'*' * hidden}{text[head + hidden :]}"
