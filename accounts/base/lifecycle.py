"""Lifecycle tables: what each action does in each status. One table runs, draws and tests a lifecycle."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import TextChoices

A = TypeVar("A", bound=Hashable)
T = TypeVar("T")
NEW: tuple[str, ...] = ()
"""The source of transitions that create an object; its status is empty until then."""


@dataclass(frozen=True, slots=True)
class Transition(Generic[A, T]):
    """One row of a lifecycle table. `sources` NEW: it creates the object.

    `books` returns the moves of the transfer, whose kind is `posts`; `announces` names the events.
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
    """All transitions of an object. `actions` and `statuses` are all valid inputs."""

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
        """The transition of an action in a status (empty: a new object). Raises `refusal` if there is none."""
        try:
            return self._found[action, status]
        except KeyError:
            raise self.refusal from None

    def allows(self, action: A, status: str) -> bool:
        """Whether the action is possible in a status."""
        return (action, status) in self._found

    def pairs(self) -> Iterator[tuple[A, str, Transition[A, T] | None]]:
        """Every action in every status with its transition; None: it is refused."""
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
