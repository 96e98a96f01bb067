"""The life of a thing as one table: what each action means in each status. It runs, it is drawn and it is tested."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import TextChoices

A = TypeVar("A", bound=Hashable)
T = TypeVar("T")
NEW: tuple[str, ...] = ()
"""The sources of a transition that begins something. Its status until then is empty."""


@dataclass(frozen=True, slots=True)
class Transition(Generic[A, T]):
    """One line of a table. `sources` NEW: it begins something.

    `books` makes the movements of the transfer, whose kind is `posts`; `announces` names the events.
    """

    action: A
    sources: tuple[str, ...]
    target: str
    posts: str | None = None
    books: Callable[[T], list[Any]] | None = None
    announces: tuple[str, ...] = ()

    @property
    def starts_from(self) -> tuple[str, ...]:
        return self.sources or ("",)


class Table(Generic[A, T]):
    """All transitions of a thing. `actions` and `statuses` are everything that can be asked about."""

    def __init__(
        self,
        actions: Iterable[A],
        statuses: type[TextChoices],
        refusal: type[Exception],
        transitions: tuple[Transition[A, T], ...],
    ) -> None:
        self.actions: tuple[A, ...] = tuple(actions)
        self.statuses = ("", *(str(status) for status in statuses))
        self.refusal = refusal
        self.transitions = transitions
        self._found = {(one.action, str(source)): one for one in transitions for source in one.starts_from}
        assert len(self._found) == sum(len(one.starts_from) for one in transitions), "each pair has one meaning"

    def transition(self, action: A, status: str) -> Transition[A, T]:
        """What the action means in a status (empty: a new thing). Raises `refusal` where it means nothing."""
        try:
            return self._found[action, status]
        except KeyError:
            raise self.refusal from None

    def allows(self, action: A, status: str) -> bool:
        """Whether the action means anything in a status."""
        return (action, status) in self._found

    def pairs(self) -> Iterator[tuple[A, str, Transition[A, T] | None]]:
        """Every action in every status, and what it means there; None: it is refused."""
        for action in self.actions:
            for status in self.statuses:
                yield action, status, self._found.get((action, status))

    def diagram(self) -> str:
        """The table as a Mermaid state diagram."""
        labels: dict[tuple[str, str], list[str]] = {}
        for one in self.transitions:
            for source in one.starts_from:
                labels.setdefault((source or "[*]", str(one.target)), []).append(_label(one.action))
        lines = [f"    {source} --> {target} : {', '.join(actions)}" for (source, target), actions in labels.items()]
        left = {source for source, _ in labels}
        ends = dict.fromkeys(target for _, target in labels if target not in left)
        return "\n".join(["stateDiagram-v2", *lines, *(f"    {target} --> [*]" for target in ends)])


def _label(action: Hashable) -> str:
    return " ".join(map(str, action)) if isinstance(action, tuple) else str(action)
