"""The interface of an institution. Each folder beside this module with a `provider.py` declares one as `PROVIDER`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, BinaryIO, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from gateway.methods.card.cards import CardFacts, Tokenized
from gateway.methods.rail import Clawback, Money, PaymentAction, PaymentOutcome, PaymentResult, Rail
from gateway.payouts.rail import PayoutRail
from gateway.providers.by_file import Folder, Inbox, PaysByFile
from gateway.providers.disputes import DisputeReport, Disputes
from gateway.providers.settlements import ReportedLine, Settles
from gateway.slips.agreements import Agreement

DAY_S = 86_400
MONEY, CARD = "money", "card"
"""Stand before an institution's id of money, or of a card in its vault, where our own ids have their prefix."""
REPORT = "report"
"""Stands before the name of a settlement report, in the same way."""


class Credentials(BaseModel):
    """What an account needs to be used: the form of an account is made of it.

    Members of type SecretStr or PrivateKey are never shown after they were entered. Certificate and PrivateKey (see
    `certificates`) are PEM texts; the expiry of certificates is watched.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    identified_by: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Members, none of them secret, that name where the money arrives: what has one in common is the same account."""
    ranges: ClassVar[tuple[tuple[str, str], ...]] = ()
    """A member that begins all numbers of a range where its money arrives, and the member that has such a number."""

    @property
    def is_live(self) -> bool | None:
        """Whether they are of the institution's production system, or of its test system. None: they do not tell."""
        return None


C = TypeVar("C", bound=Credentials)


@dataclass(frozen=True, slots=True)
class Message:
    """A message of an institution as it arrived. Header names are in lower case.

    `path` is what follows the account in the address. `certificate` is the SHA-256 fingerprint of the client
    certificate in lower-case hex, told by a trusted proxy; None without one. `source` is the address that it came from,
    as trusted proxies tell it; None where it is not known, and when the message is read later.
    """

    path: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    certificate: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """What a message says about one payment, refund or withdrawal of ours, or about money that arrived.

    `object_id` is our id, or `MONEY`, an underscore and the institution's id of the money: it was returned, and not by
    us; `REPORT` and the name of a settlement report that can be read; `DISPUTE` and the acquirer's id of a dispute; or
    `CARD` and the institution's id of a card in its vault, which was changed, removed, or saved with the payment that
    `details` name. It is a hint: the provider is queried about `object_id` at once. `told` is the result that the query
    is compared with, if the message names one. Only a provider that `is_believed` gives an `outcome` or a `dispute`
    instead, which is applied as its answer.
    """

    object_id: str
    about: PaymentAction
    told: PaymentResult | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    outcome: PaymentOutcome | None = None
    dispute: DisputeReport | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """Money that arrived at an account, as its institution lists it.

    `payment_id` is the payment that it names, in the form of our ids; there may be none of this id. `returned_id` is
    the refund, or the return of money in suspense, that was paid and that its beneficiary's bank has sent back.
    """

    method: str
    money: Money
    payment_id: str | None = None
    returned_id: str | None = None


@dataclass(frozen=True, slots=True)
class KnownOrder:
    """An order to pay or to return money, as its institution lists it under our id."""

    our_id: str
    amount: Decimal
    currency: str


class Provider(ABC, Generic[C]):
    """An institution, used with one account's credentials. Stores nothing; its rails are made with it."""

    name: ClassVar[str]
    """Unique, lower case, with hyphens; part of stored rows."""
    title: ClassVar[str]
    credentials_type: ClassVar[type[Credentials]]
    methods: ClassVar[tuple[tuple[str, str], ...]]
    """The (method, currency) pairs that it can serve; an account serves those of its rails."""
    payouts: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The (rail, payout currency) pairs that it can pay out; an account pays out those of its `payout_rails`."""
    answers: ClassVar[bool] = True
    """Whether it can be asked what became of a payment. Otherwise staff say it."""
    certain_within_s: ClassVar[int] = DAY_S
    """Until when an unclear outcome is certain, from the first unclear answer on."""

    is_believed: ClassVar[bool] = False
    """Whether what its verified messages say is an answer, because it cannot be queried about a payment."""
    is_told_where_to_call: ClassVar[bool] = False
    """Whether the institution learns the address of callbacks by `register_webhook`, or elsewhere."""

    settles: ClassVar[Settles | None] = None
    """How its settlements are read; None: they are not."""

    def __init__(self, credentials: C) -> None:
        self.credentials = credentials

    @abstractmethod
    def rails(self) -> Sequence[Rail]:
        """A rail for each of `methods` that the credentials are for."""

    def served(self) -> set[tuple[str, str]]:
        """The (method, currency) pairs of this account."""
        return {(rail.method, market.currency) for rail in self.rails() for market in rail.markets}

    def payout_rails(self) -> Sequence[PayoutRail]:
        """A rail for each of `payouts` that the credentials are for."""
        return ()

    def pays_out(self) -> set[tuple[str, str]]:
        """The (rail, payout currency) pairs of this account."""
        return {(rail.rail, market.currency) for rail in self.payout_rails() for market in rail.markets}

    def by_file(self) -> PaysByFile | None:
        """How it is told by file what to pay. None: by calls."""
        return None

    def folder(self) -> Folder | None:
        """Where files for it are dropped. None: people hand them over."""
        way = self.by_file()
        return way.folder if way else None

    def inbox(self) -> Inbox | None:
        """Where its files for us are. None: people upload them."""
        way = self.by_file()
        return way.inbox if way else None

    @abstractmethod
    def check(self) -> None:
        """Connects with the credentials and changes nothing there. Raises NotConnected with the reason."""

    def register_webhook(self, url: str) -> None:
        """Has the institution send its messages to this address from now on. Raises CallFailed."""
        raise NotImplementedError

    def forget_card(self, card: Tokenized) -> None:
        """Removes a card from the institution's vault, also one that is gone. Raises NotSent or Unclear otherwise."""
        raise NotImplementedError

    def look_up_card(self, card: Tokenized) -> CardFacts | None:
        """What the institution knows of a card in its vault. None: it cannot be charged any more.

        Raises NotSent and Unclear.
        """
        raise NotImplementedError

    def arrivals(self, since: datetime, until: datetime) -> Iterable[Arrival]:
        """All money that arrived in the window, whether a message told of it or not. Without such a list: none."""
        return ()

    lists_orders_within: ClassVar[timedelta | None] = None
    """How long after an order was taken `orders` lists it, at the latest. None: there is no such list."""

    def orders(self, since: datetime, until: datetime) -> Iterable[KnownOrder]:
        """All orders of ours to pay or to return money that it took in the window, whatever became of them, if it
        `lists_orders_within` some time.
        """
        return ()

    def numbers_given(self) -> Iterable[tuple[str, range]]:
        """The series of numbers (see `numbers`) of which its payments get one each."""
        return ()

    def clawbacks(self, since: datetime, until: datetime) -> Iterable[Clawback]:
        """What the institution itself has returned of money that arrived in the window. Without a list: nothing."""
        return ()

    def settlement_lines(self, report: str) -> Iterable[ReportedLine]:
        """The lines of a report: of a day of UTC, or of the file that a message named, as `settles` says.

        Raises CallFailed and Unreadable, also while iterated.
        """
        return ()

    def lines_of_file(self, file: BinaryIO) -> Iterable[ReportedLine]:
        """The lines of a report that people downloaded. Raises Unreadable, also while iterated."""
        raise NotImplementedError

    def agreement(self) -> Agreement | None:
        """The agreement by which it collects boletos by files. None: it does not."""
        return None

    def disputes(self) -> Disputes | None:
        """The disputes of the account. None: its institution has none."""
        return None

    def verify(self, message: Message) -> bool:
        """Whether the institution itself sent the message. Without callbacks: no."""
        return False

    def reply(self, message: Message) -> Mapping[str, Any] | None:
        """The JSON that the institution expects as the answer to a verified message. None: any 200 will do."""
        return None

    def read(self, message: Message) -> Sequence[Notice]:
        """What a verified message says; unknown ids are left out. Raises Unreadable for anything else.

        Its `others` are what the rest of the message says.
        """
        return ()
