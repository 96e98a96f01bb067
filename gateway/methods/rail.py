"""The interface of a payment method. A rail gets plain values, never a Payment, and stores nothing."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from accounts.base.errors import Fault
from gateway.customers.payer import Payer
from gateway.methods.card.cards import StoredCard, Tokenized


class PaymentAction(StrEnum):
    """An action of the provider, or of time."""

    CREATE = "create"  # make it payable
    PREPARE = "prepare"  # make it payable, queried later or again
    REVIEW = "review"  # the security review
    AUTHORIZE = "authorize"  # the payer has confirmed the card
    PAY = "pay"  # the payer's money arrived
    CAPTURE = "capture"  # settle an authorized card
    CANCEL = "cancel"  # withdraw it at the provider, when the payer's time is over
    EXPIRE = "expire"  # the payer's time
    ASSIGN = "assign"  # staff let money in suspense pay it
    REFUND = "refund"  # money back


class PaymentResult(StrEnum):
    """A provider's result. No clear answer is UNKNOWN, never DECLINED."""

    WAITING = "waiting"  # accepted; the payer must act
    SESSION = "session"  # a card session is ready
    CHECKOUT = "checkout"  # a checkout page is ready
    REVIEW = "review"  # held for a security review
    CLEARED = "cleared"  # the review was passed
    CHALLENGE = "challenge"  # the holder of the card must confirm
    AUTHORIZED = "authorized"
    DONE = "done"
    PARTLY = "partly"
    DECLINED = "declined"
    REFUSED = "refused"  # definitely not accepted by this provider; another one may be asked
    NOT_RECEIVED = "not received"  # the provider does not know it: nothing has happened there
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Money:
    """Money that arrived at a provider: the provider's own id of it, and how much it is."""

    reference: str
    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Clawback:
    """A return of money that arrived, which we did not order: made by the institution under the rules of its scheme.

    `reference` is the institution's id of the return, `money` that of the money. `is_done` False: it is under way.
    `is_claim` False: people refunded it on the institution's own pages.
    """

    reference: str
    money: str
    amount: Decimal
    currency: str
    reason_code: str
    is_done: bool = True
    is_claim: bool = True


@dataclass(frozen=True, slots=True)
class PaymentOutcome:
    """An answer: its result, changes to the payment's details, and the reason of a decline.

    `reference` is the provider's id of the money, by which support finds it.
    `amount` and `currency`, if the provider reports them, are compared with the order. Where more than one payer
    paid the same charge they are those of the money that fits the order, and `others` is the rest.
    `tokenized` is the card in the acquirer's vault, of an order that saves its card or charges a saved one.
    `ask_after_s`: when to ask the provider again, if the answer is not final, and
    `expires_after_s` how long that may take, if not until the payment's expiry.
    """

    answered: PaymentResult
    details: Mapping[str, Any] = field(default_factory=dict)
    failure: tuple[str, str] | None = None
    reference: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    ask_after_s: int | None = None
    expires_after_s: int | None = None
    others: tuple[Money, ...] = ()
    tokenized: Tokenized | None = None


@dataclass(frozen=True, slots=True)
class Market:
    """Where a method is offered, and its default terms (contract §4.1).

    `flow` is how the payer pays, in the terms of contract §9.1.
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
    def redirects_payer(self) -> bool:
        """Whether the payer acts on a page of ours and returns to the shop's `returnUrl`."""
        return self.flow in ("REDIRECT", "CARD")


@dataclass(frozen=True, slots=True)
class PaymentDraft:
    """The members of a request that a method may validate: as sent, possibly invalid. `now` is by the merchant's
    clock.
    """

    payer: Payer
    now: datetime
    currency: str
    due_date: str | None = None
    return_url: str | None = None
    payment_method_token: str | None = None
    save_payment_method: bool = False


@dataclass(frozen=True, slots=True)
class PaymentOrder:
    """The order that a rail receives for a payment. `asked_times` includes this call.

    `reference` is the provider's id of the money, `details` are those of earlier answers. `stored_card` is the saved
    card that the sandbox plays, and `tokenized` the one that an acquirer is to charge; a payer who is present
    can confirm that. `saves_card`: the payer allows that the card is charged again.
    """

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
    tokenized: Tokenized | None = None
    saves_card: bool = False
    payer_is_present: bool = True
    customer_id: str = ""
    reference: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefundOrder:
    """The order that a rail receives for a refund. The provider stores `refund_id` and never pays it twice.

    `payment_reference` is the provider's id of the money to be returned, `details` are those of the payment, and
    `sent_at` is when it was first sent.
    """

    refund_id: str
    payment_id: str
    payment_reference: str | None
    amount: Decimal
    currency: str
    details: Mapping[str, Any] = field(default_factory=dict)
    sent_at: datetime | None = None


_PRINTABLE = re.compile(r"[!-~](?:[ -~]{0,62}[!-~])?")


class Rail(ABC):
    """A payment method in some markets, at a provider or as its sandbox simulator.

    Calls name our own id: repeated with the same id, it is the same payment or refund. A rail of a provider raises
    NotSent if nothing was transmitted, and Unclear if a call may have taken effect.
    """

    method: ClassVar[str]
    markets: ClassVar[tuple[Market, ...]]
    bank_reference: ClassVar[re.Pattern[str]] = _PRINTABLE
    """The form of the id that banks give money paid by this method."""
    bank_reference_is_unique: ClassVar[bool] = False
    """Whether no two banks give it to different money."""
    is_asked_seldom: ClassVar[bool] = False
    """Whether its institution sends messages about each payment, so that a query is only for those that are lost."""
    takes_due_date: ClassVar[bool] = False
    """Whether a payment may have a due date. Otherwise the member is ignored."""

    @abstractmethod
    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        """Missing and invalid members for this method. `strict` also verifies check digits (production)."""

    @abstractmethod
    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        """Makes it payable and returns the payment instructions.

        REFUSED if the provider definitely did not accept it. A simulator raises RailUnavailable or InvalidResponse
        without a clear answer.
        """

    @abstractmethod
    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        """What became of it; changes nothing. WAITING while it can be paid, NOT_RECEIVED if the provider does not
        know it.
        """

    @abstractmethod
    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        """Refunds money: DONE with the provider's id, DECLINED, or UNKNOWN while it is in progress."""

    @abstractmethod
    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """The members of the payment object that belong to this method, from instruction details."""

    def ask_refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        """What became of a refund that was possibly sent: as `refund`, or NOT_RECEIVED. It never pays twice."""
        return PaymentOutcome(PaymentResult.UNKNOWN)

    def clawbacks(self, money: str) -> Sequence[Clawback]:
        """What the institution itself has returned of money that arrived, or is returning. Changes nothing."""
        return ()

    def capture(self, order: PaymentOrder) -> PaymentOutcome:
        """Settles an authorized payment: DONE or DECLINED. Only for rails that answer AUTHORIZED."""
        raise NotImplementedError

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        """Makes sure that nobody can pay it any more, and releases what was authorized.

        DONE if so, REFUSED if it cannot be canceled because it was paid.
        """
        return PaymentOutcome(PaymentResult.DONE)

    def received(self, bank_reference: str) -> PaymentOutcome:
        """The outcome of a payment whose money people found in a bank's statement."""
        return PaymentOutcome(PaymentResult.DONE, reference=bank_reference)

    def heard(self, order: PaymentOrder, told: PaymentOutcome) -> PaymentOutcome:
        """What a message of a provider that is believed means for this method."""
        return told

    def calls_provider(self, order: PaymentOrder) -> bool:
        """Whether it calls a provider, so that no call may be made inside a transaction."""
        return True

    def stored_card(self, token: str) -> StoredCard | None:
        """The saved card of a token. None: unknown here."""
        return None

    def market(self, currency: str) -> Market:
        """The market of one of its currencies."""
        return next(market for market in self.markets if market.currency == currency)

    def completed(self, payer: Payer) -> Payer:
        """The payer with defaults of this method: a country code, the type of a document."""
        return payer

    def deadline(self, created_at: datetime, expires_in_s: int, due_date: date | None) -> datetime:
        """When the payment expires."""
        return created_at + timedelta(seconds=expires_in_s)
