"""A bank that knows nothing of ours: accounts with balances of its own, and what it was told to collect and to pay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from febraban.cnab240.itau.charge.result.parser import SlipParser
from febraban.cnab240.itau.sispag.result.parser import PaymentParser

Numbers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Movement:
    """Cents, + received. `number` is that of the order, `other` the account on the other side."""

    cents: int
    reference: str
    text: str = ""
    number: str = ""
    code: str = "PMNT-ICDT-ESCT"
    other: Numbers | None = None
    is_reversed: bool = False
    value_on: date | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A statement, before it is written."""

    numbers: Numbers
    count: int
    day: date
    opening: int
    closing: int
    movements: Sequence[Movement]
    currency: str = "BRL"

    def changed(self, **members: Any) -> "Told":
        return replace(self, **members)


@dataclass(slots=True)
class Account:
    """An account of a customer of the bank."""

    numbers: Numbers
    balance: int
    count: int = 0
    movements: list[Movement] = field(default_factory=list)

    def move(self, cents: int, same_as: Movement | None = None, **said: Any) -> Movement:
        """Books a movement; returns it as the statement will have it. `same_as` gives it the id of another one."""
        self.balance += cents
        own = f"{self.numbers['account']}{self.count:04d}{len(self.movements):06d}"
        reference = same_as.reference if same_as else own
        made = Movement(cents, reference, **said)
        self.movements.append(made)
        return made

    def close(self, day: date) -> Told:
        """The statement of all since the last one."""
        self.count += 1
        moved, self.movements = self.movements, []
        opening = self.balance - sum(one.cents for one in moved)
        return Told(self.numbers, self.count, day, opening, self.balance, moved)


@dataclass(frozen=True, slots=True)
class Slip:
    """A boleto as the bank knows it: its own number of it, and cents."""

    number: str
    cents: int


@dataclass(frozen=True, slots=True)
class Order:
    number: str
    cents: int


def slips_of(file: bytes) -> list[Slip]:
    """What a registration file says, as PyPI febraban reads it."""
    return [Slip(one.identifier, one.amountInCents) for one in SlipParser.parseText(file.decode() + "\r\n")]


def orders_of(file: bytes) -> list[Order]:
    """What a payment file says, as PyPI febraban reads it."""
    return [Order(one.identifier, one.amountInCents) for one in PaymentParser.parseText(file.decode() + "\r\n")]
