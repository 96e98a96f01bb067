"""A breadth-first search over all states that can be reached, which ends at the first one that must not be."""

import time
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

S = TypeVar("S", bound=Hashable)
Step = tuple[str, S]
"""What happens, and the state after it."""
PEOPLE = "staff:"
"""Steps that nothing but a person takes begin with it: they are no way out."""


@dataclass
class Found(Generic[S]):
    """What a search has seen. `broken` is the first property that does not hold, `path` the shortest way there."""

    states: int = 0
    steps: int = 0
    ends: int = 0
    depth: int = 0
    seconds: float = 0.0
    is_complete: bool = True
    broken: str | None = None
    path: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        bound = ", all there are," if self.is_complete else ""
        told = f"{self.states:,} states{bound} {self.steps:,} steps, {self.ends:,} ends, depth {self.depth}"
        lines = [f"{told}, {self.seconds:.1f} s"]
        if self.broken:
            lines += [f"BROKEN: {self.broken}", *(f"  {number}. {step}" for number, step in enumerate(self.path, 1))]
        return "\n".join(lines)


class Search(Generic[S]):
    """Explores from `first`. `broken` names the property that a state breaks; `is_end` says where nothing is open."""

    def __init__(
        self,
        first: S,
        steps: Callable[[S], Iterable[Step[S]]],
        broken: Callable[[S], str | None],
        is_end: Callable[[S], bool],
    ) -> None:
        self.steps, self.broken, self.is_end = steps, broken, is_end
        self.numbers: dict[S, int] = {first: 0}
        self.states = [first]
        self.came_from, self.came_by = array("l", [-1]), [""]
        self.edges_from, self.edges_to = array("l"), array("l")
        self.found: Found[S] = Found()

    def explore(self, most: int) -> Found[S]:
        """At most `most` states. Of a complete search every state must also have a way to an end without people."""
        began, found = time.monotonic(), self.found
        for number in self._breadth_first(most):
            if broken := self.broken(self.states[number]):
                found.broken, found.path, found.is_complete = broken, self._path(number), False
                break
        found.states, found.steps = len(self.states), len(self.edges_to)
        if found.broken is None:
            self._look_for_ways_out()
        found.seconds = time.monotonic() - began
        return found

    def _breadth_first(self, most: int) -> Iterator[int]:
        """The number of every state, when it is seen first."""
        yield 0
        self.explored = 0
        level_ends = 1
        while self.explored < len(self.states):
            if len(self.states) >= most:
                self.found.is_complete = False
                return
            if self.explored == level_ends:
                self.found.depth, level_ends = self.found.depth + 1, len(self.states)
            yield from self._expand(self.explored)
            self.explored += 1

    def _expand(self, number: int) -> Iterator[int]:
        numbers, states = self.numbers, self.states
        for what, state in self.steps(states[number]):
            known = numbers.setdefault(state, len(states))
            if not what.startswith(PEOPLE):
                self.edges_from.append(number)
                self.edges_to.append(known)
            if known == len(states):
                states.append(state)
                self.came_from.append(number)
                self.came_by.append(what)
                yield known

    def _look_for_ways_out(self) -> None:
        """Backwards from the ends, and from what the bound left unexplored."""
        starts, sources = self._backwards()
        ends = [number for number, state in enumerate(self.states) if self.is_end(state)]
        self.found.ends = len(ends)
        waiting = ends + list(range(self.explored, len(self.states)))
        reached = bytearray(len(self.states))
        for number in waiting:
            reached[number] = 1
        while waiting:
            target = waiting.pop()
            for source in sources[starts[target] : starts[target + 1]]:
                if not reached[source]:
                    reached[source] = 1
                    waiting.append(source)
        if (lost := reached.find(0)) >= 0:
            self.found.broken, self.found.path = "no way out to an end", self._path(lost)

    def _backwards(self) -> tuple[array, array]:
        """Where in the second array the sources of the steps to each state start, and these sources."""
        starts = array("l", bytes(8 * (len(self.states) + 1)))
        for target in self.edges_to:
            starts[target + 1] += 1
        for number in range(len(self.states)):
            starts[number + 1] += starts[number]
        sources, filled = array("l", bytes(8 * len(self.edges_to))), array("l", starts)
        for source, target in zip(self.edges_from, self.edges_to, strict=True):
            sources[filled[target]] = source
            filled[target] += 1
        return starts, sources

    def _path(self, number: int) -> list[str]:
        path = []
        while number > 0:
            path.append(self.came_by[number])
            number = self.came_from[number]
        return path[::-1]
