"""Disputes at acquirers: what an acquirer says about one, and how the company's answer is handed on."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

DISPUTE = "dispute"
"""Stands before an acquirer's id of a dispute, where our own ids have their prefix."""


class DisputeState(StrEnum):
    """Where a dispute stands at its acquirer. The last three are final, until the acquirer says otherwise."""

    OPEN = "open"  # it can be answered
    DECIDING = "deciding"  # it was answered, or cannot be: the card's bank decides
    LAPSED = "lapsed"  # nobody answered in time
    WON = "won"  # the money stays, or came back
    LOST = "lost"  # the acquirer took the money for good
    CLOSED = "closed"  # it ended without any money


FINAL = (DisputeState.WON, DisputeState.LOST, DisputeState.CLOSED)


@dataclass(frozen=True, slots=True)
class DisputeReport:
    """What an acquirer says about a dispute. `reference` is its id of it, `money` its id of the payment.

    An inquiry takes no money: the card's bank only asks; None: as it was. `step` orders what a believed acquirer tells:
    what stands before a step that is known changes nothing. None: it was asked, so that the report is the truth of now.
    """

    reference: str
    money: str | None
    amount: Decimal
    currency: str
    state: DisputeState
    is_inquiry: bool | None = None
    payment_id: str | None = None
    reason_code: str = "OTHER"
    reason: str = ""
    due_at: datetime | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence: an address, or a file."""

    id: str
    description: str = ""
    url: str | None = None
    file_name: str = ""
    content_type: str = ""
    content: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class DisputeAnswer:
    """The company's answer to a dispute, under our own id: repeated, it is the same answer."""

    id: str
    reference: str
    message: str = field(default="", repr=False)
    pieces: tuple[Piece, ...] = ()

    @property
    def files(self) -> list[Piece]:
        return [piece for piece in self.pieces if piece.url is None]

    @property
    def text(self) -> str:
        """The message, and the addresses with what they show."""
        addresses = [f"{piece.description}: {piece.url}".removeprefix(": ") for piece in self.pieces if piece.url]
        return "\n".join([self.message, *addresses])


class Disputes(ABC):
    """The disputes of one account at an acquirer. Every call raises NotSent or Unclear without a clear answer."""

    most_files: ClassVar[int]
    most_bytes: ClassVar[int]
    """Of all files of an answer together."""
    most_text: ClassVar[int | None] = None
    """Characters of an answer's text. None: as many as there are."""
    content_types: ClassVar[tuple[str, ...]]

    def ask(self, reference: str) -> DisputeReport | None:
        """How it stands now. None: the acquirer cannot be asked, and what its messages say is believed."""
        return None

    def listed(self, since: datetime, until: datetime) -> Iterable[DisputeReport]:
        """All disputes that were opened in the window. Without such a list: none."""
        return ()

    @abstractmethod
    def accept(self, answer: DisputeAnswer) -> None:
        """The company gives up. Raises AnswerRefused if the acquirer definitely did not take it."""

    @abstractmethod
    def contest(self, answer: DisputeAnswer) -> None:
        """Hands on the evidence, for the card's bank to decide. Raises AnswerRefused."""
