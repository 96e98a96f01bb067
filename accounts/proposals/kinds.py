"""The kinds of decisions that take a second person: each describes itself and calls one service."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db.models import Model
from django.utils import translation
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from accounts.audit import Actor
from accounts.models import User

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Carried:
    """The result: the record, a message for the person who confirmed, and a secret that is shown once."""

    record: Model
    message: str
    secret: str = ""


class ProposalKind(ABC):
    """`permission` is required of both people. The record is what `hold` returns."""

    name: ClassVar[str]
    title: ClassVar[Promise]
    permission: ClassVar[str]
    secrets: ClassVar[tuple[str, ...]] = ()
    """Values that are deleted as soon as the proposal is decided or has expired."""

    @abstractmethod
    def hold(self, object_id: str) -> Any:
        """The record, locked until the transaction ends. Raises the record's own 404."""

    def name_of(self, object_id: str) -> str:
        """The record as people know it: its public id, or the name of one that has none."""
        return object_id

    @property
    def title_in_audit(self) -> str:
        """The title in the language of the trail, which is the same whoever writes it."""
        with translation.override("en"):
            return str(self.title)

    def name_in_audit(self, object_id: str) -> str:
        """`name_of` in the language of the trail."""
        with translation.override("en"):
            return str(self.name_of(object_id))

    @abstractmethod
    def before(self, record: Any) -> dict[str, Any]:
        """The fields read before the decision: if they change, the proposal is outdated."""

    @abstractmethod
    def company_ids(self, record: Any) -> Iterable[str]:
        """The companies whose members cannot decide."""

    @abstractmethod
    def carry_out(self, record: Any, values: Values, *, by: Actor, note: str) -> Carried:
        """Calls the service as the person who confirms; on the host as nobody."""

    def people_ids(self, record: Any) -> Iterable[int]:
        """The people concerned, who cannot decide either."""
        return ()

    def takes_two(self, record: Any, values: Values) -> bool:
        """Whether a second person is required; otherwise one person and a note are enough."""
        return True

    def allows_alone(self, record: Any, values: Values, person: User) -> bool:
        """Where one is enough: whether this person may decide alone once more."""
        return True

    def note_alone(self, record: Any, values: Values, person: User) -> None:  # noqa: B027  (most have no limit)
        """Counts that this person decides alone."""

    def require(self, record: Any, values: Values) -> None:  # noqa: B027  (most refuse nothing)
        """Raises if the decision is impossible; called before it is stored and again before it is carried out."""

    def sentence(self, record: Any, values: Values) -> SafeString | str:
        """What it does, for the people who propose and confirm."""
        return ""

    def lines(self, record: Any, values: Values) -> list[tuple[str, str]]:
        """The changes, each with its label."""
        return [(name.replace("_", " ").capitalize(), str(value)) for name, value in values.items() if value]


KINDS: dict[str, ProposalKind] = {}


def register(kind: type[ProposalKind]) -> type[ProposalKind]:
    """Registers the kind under its name."""
    assert kind.name not in KINDS
    KINDS[kind.name] = kind()
    return kind
