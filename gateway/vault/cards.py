"""The sandbox's test cards (contract §14.2), and the only type that ever holds a number."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, NoReturn

from stdnum import luhn

from gateway.vault.numbers import LENGTHS, brand_of, is_issued


class Plays(StrEnum):
    """The behaviour of a test card when it is charged."""

    APPROVED = "APPROVED"
    CHALLENGE = "CHALLENGE"  # approved once the holder authenticates
    CHALLENGE_REFUSED = "CHALLENGE_REFUSED"
    REFUSED = "REFUSED"
    INSUFFICIENT_FUNDS = "INSUFFICIENT_FUNDS"
    EXPIRED = "EXPIRED"
    INVALID_CVV = "INVALID_CVV"
    TIMEOUT = "TIMEOUT"
    UNKNOWN = "UNKNOWN"  # no test card


class Funding(StrEnum):
    """The type of a card. AS_REQUESTED: the type that the payment requested."""

    CREDIT = "credit"
    DEBIT = "debit"
    PREPAID = "prepaid"
    UNKNOWN = "unknown"
    AS_REQUESTED = "as requested"


class Secret:
    """A text that cannot be exposed by accident: printing, formatting, pickling or dumping it raises."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def _never(self, *_: Any) -> NoReturn:
        raise TypeError("a secret is not shown")

    __str__ = __repr__ = __format__ = __reduce__ = __reduce_ex__ = _never


@dataclass(frozen=True, slots=True)
class Card:
    """The non-sensitive data of an entered card."""

    brand: str
    last4: str
    funding: Funding
    plays: Plays

    def snapshot(self) -> dict[str, str]:
        """The part that a payment stores."""
        return {"brand": self.brand, "last4": self.last4, "funding": str(self.funding), "plays": str(self.plays)}

    @classmethod
    def of(cls, snapshot: dict[str, str]) -> "Card":
        return cls(snapshot["brand"], snapshot["last4"], Funding(snapshot["funding"]), Plays(snapshot["plays"]))


@dataclass(frozen=True, slots=True)
class TestCard:
    """A number that plays a scenario. `effect` is its documentation."""

    number: str
    plays: Plays
    effect: str


TEST_CARDS = (
    TestCard("4242424242424242", Plays.APPROVED, "Approved"),
    TestCard("4000000000003220", Plays.CHALLENGE, "Approved with 3DS challenge"),
    TestCard("4000000000000002", Plays.REFUSED, "Card refused"),
    TestCard("4000000000009995", Plays.INSUFFICIENT_FUNDS, "Insufficient funds"),
    TestCard("4000000000000069", Plays.EXPIRED, "Expired card"),
    TestCard("4000000000000127", Plays.INVALID_CVV, "Invalid CVV"),
    TestCard("4000000000003063", Plays.CHALLENGE_REFUSED, "3DS challenge refused"),
    TestCard("4000000000000119", Plays.TIMEOUT, "Timeout: the payment stays pending"),
)
FUNDING_OF_CVC = {"901": Funding.CREDIT, "902": Funding.DEBIT, "903": Funding.PREPAID, "904": Funding.UNKNOWN}
"""With an approved card the CVC can select the card type; otherwise it is the requested type."""

_APPROVED = (Plays.APPROVED, Plays.CHALLENGE)


def is_number(digits: str) -> bool:
    """13 to 19 digits with the right check digit, as long as the scheme's numbers are."""
    if not (digits.isascii() and digits.isdigit() and len(digits) in LENGTHS):
        return False
    known = brand_of(digits) not in ("unknown", "visa")
    return is_issued(digits) if known else bool(luhn.is_valid(digits))


def is_cvc(digits: str, brand: str) -> bool:
    return digits.isascii() and digits.isdigit() and len(digits) == (4 if brand == "amex" else 3)


def is_expired(year: int, month: int, today: date) -> bool:
    """A card is valid until the last day of its month."""
    return (year, month) < (today.year, today.month)


def recognized(number: Secret, cvc: Secret) -> Card:
    """The sandbox's reading of a card. Number and CVC are not passed on."""
    digits = number.reveal()
    plays = next((card.plays for card in TEST_CARDS if card.number == digits), Plays.UNKNOWN)
    funding = FUNDING_OF_CVC.get(cvc.reveal(), Funding.AS_REQUESTED) if plays in _APPROVED else Funding.AS_REQUESTED
    return Card(brand_of(digits), digits[-4:], funding, plays)
