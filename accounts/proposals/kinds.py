"""The kinds of decisions that take a second person: each says in words what it does, and has one service do it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db.models import Model
from django.utils.safestring import SafeString

from accounts.audit import Actor

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Carried:
    """What was carried out: the record, the sentence for whoever did it, and a secret that is shown this once."""

    record: Model
    said: str
    secret: str = ""


class ProposalKind(ABC):
    """`permission` is what both people need. The record is whatever `hold` returns."""

    name: ClassVar[str]
    title: ClassVar[str]
    permission: ClassVar[str]

    @abstractmethod
    def hold(self, object_id: str) -> Any:
        """The record, held until the transaction ends. Refuses with the record's own 404."""

    @abstractmethod
    def before(self, record: Any) -> dict[str, Any]:
        """What of the record is read before the decision: once it differs, a proposal is overtaken."""

    @abstractmethod
    def company_ids(self, record: Any) -> Iterable[str]:
        """The companies whose members decide nothing here."""

    @abstractmethod
    def carry_out(self, record: Any, values: Values, *, by: Actor, note: str) -> Carried:
        """Calls the service, for whoever confirms; on the host that is nobody."""

    def people_ids(self, record: Any) -> Iterable[int]:
        """The people whom it is about: they decide nothing here either."""
        return ()

    def takes_two(self, record: Any, values: Values) -> bool:
        """Whether it waits for a second person; otherwise one person and a note are enough."""
        return True

    def require(self, record: Any, values: Values) -> None:  # noqa: B027  (most refuse nothing)
        """Refuses what cannot be, before anything is written down and again before it is carried out."""

    def sentence(self, record: Any, values: Values) -> SafeString | str:
        """What it does, for whoever proposes and whoever confirms."""
        return ""

    def lines(self, record: Any, values: Values) -> list[tuple[str, str]]:
        """What changes, each with its name."""
        return [(name.replace("_", " ").capitalize(), str(value)) for name, value in values.items() if value]


KINDS: dict[str, ProposalKind] = {}


def register(kind: type[ProposalKind]) -> type[ProposalKind]:
    """Makes the kind known under its name."""
    assert kind.name not in KINDS
    KINDS[kind.name] = kind()
    return kind
