"""A card as payments know it: brand, last four digits and type. Numbers are the vault's matter."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


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


@dataclass(frozen=True, slots=True)
class Card:
    """The non-sensitive data of an entered card."""

    brand: str
    last4: str
    funding: Funding
    plays: Plays
    exp_month: int | None = None
    exp_year: int | None = None

    def snapshot(self, *, with_expiry: bool = False) -> dict[str, Any]:
        """The part that a payment stores; with the date only where the card is to be saved."""
        known = {"brand": self.brand, "last4": self.last4, "funding": str(self.funding), "plays": str(self.plays)}
        return known | ({"expMonth": self.exp_month, "expYear": self.exp_year} if with_expiry else {})

    @classmethod
    def of(cls, snapshot: dict[str, Any]) -> "Card":
        plays, expiry = Plays(snapshot["plays"]), (snapshot.get("expMonth"), snapshot.get("expYear"))
        return cls(snapshot["brand"], snapshot["last4"], Funding(snapshot["funding"]), plays, *expiry)


@dataclass(frozen=True, slots=True)
class Tokenized:
    """A card in an acquirer's vault: the acquirer's ids of the cardholder and of the card, and what it tells of it."""

    holder: str = field(repr=False)
    token: str = field(repr=False)
    exp_month: int | None = None
    exp_year: int | None = None
    is_network_token: bool = False


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What an acquirer tells of a card in its vault: the card scheme may have replaced it by a newer one."""

    last4: str
    exp_month: int | None
    exp_year: int | None


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A saved card and its token. `captured_after_s` None: immediately. `effect` documents those of the sandbox."""

    token: str
    card: Card
    effect: str
    captured_after_s: int | None = None

    @classmethod
    def of(cls, token: str, snapshot: dict[str, Any]) -> "StoredCard":
        """A card that was saved after a payment, and plays its test card again."""
        return cls(token, Card.of(snapshot), "")

    @property
    def must_be_confirmed(self) -> bool:
        return self.card.plays in (Plays.CHALLENGE, Plays.CHALLENGE_REFUSED)
