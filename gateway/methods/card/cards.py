"""A card as payments know it: brand, last four digits and type. Numbers are the vault's matter."""

from dataclasses import dataclass
from enum import StrEnum


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

    def snapshot(self) -> dict[str, str]:
        """The part that a payment stores."""
        return {"brand": self.brand, "last4": self.last4, "funding": str(self.funding), "plays": str(self.plays)}

    @classmethod
    def of(cls, snapshot: dict[str, str]) -> "Card":
        return cls(snapshot["brand"], snapshot["last4"], Funding(snapshot["funding"]), Plays(snapshot["plays"]))


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A saved card and its token. `captured_after_s` None: immediately. `effect` documents those of the sandbox."""

    token: str
    card: Card
    effect: str
    captured_after_s: int | None = None

    @property
    def must_be_confirmed(self) -> bool:
        return self.card.plays in (Plays.CHALLENGE, Plays.CHALLENGE_REFUSED)
