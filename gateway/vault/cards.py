"""Card numbers as they are typed: the only type that ever holds one, and what a number, a code and a date must be."""

from datetime import date
from typing import Any, NoReturn

from stdnum import luhn

from accounts.base.card_numbers import LENGTHS, brand_of, is_issued
from gateway.methods.card.cards import Card, Funding, Plays
from gateway.methods.card.sandbox_cards import FUNDING_OF_CVC, TEST_CARDS

_APPROVED = (Plays.APPROVED, Plays.CHALLENGE)


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
