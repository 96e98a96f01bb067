"""Two institutions that charge at once and misbehave at random, and their own books."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import ClassVar

from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.provider import Credentials, Provider
from tests.support.scripted_provider import ScriptedRail

MODULE = __name__
LATE, LONGEST_PROCESSING_H = timedelta(minutes=10), 12
BEHAVIORS = {
    "answers": 40, "silent before acting": 10, "silent after acting": 10, "arrives late": 8, "500 for ever": 6,
    "answers hours later": 6, "refuses": 6, "away": 6, "kills before acting": 3, "kills after acting": 3,
    "another amount": 2,
}  # fmt: skip
ANSWERS_QUERIES = 0.65


class Killed(BaseException):
    """The process died during the call."""


@dataclass
class Book:
    """What one institution knows, by our id."""

    charged: Counter[str] = field(default_factory=Counter)
    declined: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    """Refused or canceled: never charged any more."""
    broken: set[str] = field(default_factory=set)
    arriving: dict[str, datetime] = field(default_factory=dict)
    processing: dict[str, datetime] = field(default_factory=dict)


@dataclass
class World:
    """The institutions, their chance and their time."""

    chance: random.Random
    now: datetime
    books: dict[str, Book] = field(default_factory=dict)

    def book(self, bank: str) -> Book:
        return self.books.setdefault(bank, Book())

    def charge(self, bank: str, our_id: str) -> None:
        """The same id is the same charge; one in ten is declined by the payer's bank."""
        book = self.book(bank)
        if our_id in book.charged or our_id in book.declined or our_id in book.closed:
            return
        if self.chance.random() < 0.1:
            book.declined.add(our_id)
        else:
            book.charged[our_id] += 1

    def advance(self, time: timedelta) -> None:
        self.now += time
        for bank, book in self.books.items():
            for our_id in [one for one, at in book.arriving.items() if at <= self.now]:
                del book.arriving[our_id]
                self.charge(bank, our_id)

    def instruct(self, bank: str, our_id: str) -> str:
        """What becomes of a call: "charged", "declined", "refused", or an exception."""
        book = self.book(bank)
        if our_id in book.broken:
            raise Unclear("500")
        how = self.chance.choices(list(BEHAVIORS), list(BEHAVIORS.values()))[0]
        if how == "away":
            raise NotSent("connection refused")
        if how == "refuses" and our_id not in book.charged | Counter(book.declined):
            book.closed.add(our_id)
            return "refused"
        self._act(how, bank, our_id)
        if how in ("answers", "refuses"):
            return self.known(bank, our_id)
        if how.startswith("kills"):
            raise Killed
        raise Unclear(how)

    def _act(self, how: str, bank: str, our_id: str) -> None:
        book = self.book(bank)
        if how in ("silent before acting", "kills before acting"):
            return
        if how == "arrives late":
            book.arriving.setdefault(our_id, self.now + LATE)
            return
        if how == "500 for ever":
            book.broken.add(our_id)
            if self.chance.random() < 0.5:
                return
        if how == "answers hours later":
            book.processing[our_id] = self.now + timedelta(hours=self.chance.randint(1, LONGEST_PROCESSING_H))
        self.charge(bank, our_id)

    def known(self, bank: str, our_id: str) -> str:
        book = self.book(bank)
        if book.processing.get(our_id, self.now) > self.now:
            return "processing"
        if book.charged[our_id]:
            return "charged"
        return "declined" if our_id in book.declined else "refused" if our_id in book.closed else "unknown"

    def query(self, bank: str, our_id: str) -> str:
        if self.chance.random() > ANSWERS_QUERIES:
            raise Unclear("HTML")
        return self.known(bank, our_id)

    def cancel(self, bank: str, our_id: str) -> str:
        """Also closes an id that has not arrived yet."""
        known = self.query(bank, our_id)
        if known in ("unknown", "refused", "declined"):
            self.book(bank).closed.add(our_id)
        return known


WORLD = World(random.Random(0), datetime.min)


def begun(seed: int, now: datetime) -> World:
    """The world, empty again."""
    WORLD.__init__(random.Random(seed), now)  # type: ignore[misc]
    return WORLD


MEANING = {
    "charged": PaymentOutcome(PaymentResult.DONE, {"charge": True}, reference="charge"),
    "declined": PaymentOutcome(PaymentResult.DECLINED, failure=("PAYER_REJECTED", "The payer refused the payment.")),
    "refused": PaymentOutcome(PaymentResult.REFUSED),
    "unknown": PaymentOutcome(PaymentResult.NOT_RECEIVED),
    "processing": PaymentOutcome(PaymentResult.UNKNOWN),
}


class ChargingRail(ScriptedRail):
    def __init__(self, bank: str) -> None:
        super().__init__(bank, "PIX", "BRL")
        self.bank = bank

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        try:
            return MEANING[WORLD.instruct(self.bank, order.payment_id)]
        except Unclear as failed:
            if failed.reason != "another amount":
                raise
            return PaymentOutcome(PaymentResult.DONE, amount=order.amount + Decimal(1), currency=order.currency)

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        return MEANING[WORLD.query(self.bank, order.payment_id)]

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        known = WORLD.cancel(self.bank, order.payment_id)
        if known == "processing":
            raise Unclear(known)
        return PaymentOutcome(PaymentResult.REFUSED if known == "charged" else PaymentResult.DONE)


class ChargingCredentials(Credentials):
    bank: str


class ChargingProvider(Provider[ChargingCredentials]):
    name: ClassVar[str] = "charging"
    title: ClassVar[str] = "A bank that misbehaves"
    credentials_type: ClassVar[type[ChargingCredentials]] = ChargingCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = (("PIX", "BRL"),)

    def rails(self) -> Sequence[Rail]:
        return [ChargingRail(self.credentials.bank)]

    def check(self) -> None:
        """Always there."""


PROVIDER = ChargingProvider


def naive(world: World, banks: Sequence[str], our_id: str, tries: int = 3) -> str:
    """The rule "failed after the last retry", with another provider at each retry: "PAID" or "FAILED"."""
    for attempt in range(tries):
        try:
            answer = world.instruct(banks[attempt % len(banks)], our_id)
        except (Unclear, NotSent, Killed):
            continue
        if answer == "charged":
            return "PAID"
        if answer == "declined":
            return "FAILED"
    return "FAILED"
