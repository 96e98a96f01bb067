"""What all searched worlds have in common: states of small numbers, and processes that call, are answered and die."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple

State = tuple[int, ...]
"""Numbers of: a row for each object, what the outside has of each, what went wrong, and the sorted processes."""
Way = tuple[str, State]


class Asking(NamedTuple):
    """A process that has written down a call about an object. `heard` "": it has not called yet; else its answer.

    `is_own`: the row's lease is its own. `is_hinted`: the row's next query is no longer the one that it has set.
    """

    who: str
    about: str
    of: int = 0
    account: int = 0
    again: bool = False
    is_own: bool = True
    is_hinted: bool = False
    heard: str = ""


class Numbers:
    """Gives each value a small number, and remembers what was worked out for numbers."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


class Known:
    """A function of numbers that is worked out once for each; a dictionary, because most of a search is look-ups."""

    def __init__(self, work_out: Callable[..., Any]) -> None:
        self._known: dict[tuple[int, ...], Any] = {}
        self._work_out = work_out

    def __call__(self, *numbers: int) -> Any:
        try:
            return self._known[numbers]
        except KeyError:
            self._known[numbers] = found = self._work_out(*numbers)
            return found

    def __len__(self) -> int:
        return len(self._known)


class Processes:
    """The processes of a state: which there are, and what becomes of them when a lease is no longer theirs."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self.lost = Known(lambda one: self._replaced(one, is_own=False, is_hinted=True))
        self.hinted = Known(lambda one: self._replaced(one, is_hinted=True))
        self.dies = Known(lambda one: f"{self[one].who}: dies")

    def __getitem__(self, number: int) -> Asking:
        found: Asking = self.numbers.values[number]
        return found

    def _replaced(self, number: int, **changes: Any) -> int:
        return self.numbers(self[number]._replace(**changes))

    def all_lost(self, processes: Iterable[int], of: int) -> list[int]:
        return [self.lost(one) if self[one].of == of else one for one in processes]

    def all_hinted(self, processes: Iterable[int], of: int) -> list[int]:
        return [self.hinted(one) if self[one].of == of else one for one in processes]

    def each(self, processes: State) -> Iterator[tuple[int, State]]:
        """Every different process, with the others."""
        before = -1
        for place, one in enumerate(processes):
            if one != before:
                yield one, processes[:place] + processes[place + 1 :]
            before = one


class World:
    """What happens to one object: rows, what the outside has of it (`outs`), and at most `most` processes at once.

    States: row, out, what went wrong, processes. What is worked out below is worked out once for each row and process.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.rows, self.outs, self.wrongs, self.processes = Numbers(), Numbers(), Numbers(), Processes()
        self.wrongs("")
        self.calls, self.takes, self.begins = Known(self._calls), Known(self._takes), Known(self._begins)
        self.times, self.decides, self.outsides = Known(self._times), Known(self._decides), Known(self._outsides)
        self.hints, self.truth, self.is_over = Known(self._hints), Known(self._truth), Known(self._is_over)
        self.tells = Known(self._tells)
        self.breaks, self.acts, self.is_final = Known(self._breaks), Known(self._acts), Known(self._is_final)

    @property
    def first(self) -> State:
        raise NotImplementedError

    def steps(self, state: State) -> Iterator[Way]:
        row, out, wrong, *_ = state
        if wrong or self.is_over(row, out):
            return
        processes = state[3:]
        for one, others in self.processes.each(processes):
            yield self.processes.dies(one), (row, out, 0, *others)
            yield from self._goes_on(row, out, one, others)
        for what, then in self.outsides(out):
            yield what, (row, then, 0, *processes)
        yield from self._open(row, out, processes)

    def _goes_on(self, row: int, out: int, one: int, others: State) -> Iterator[Way]:
        if not self.processes[one].heard:
            for what, heard, after, wrong in self.calls(one, out):
                yield what, (row, after, wrong, *sorted((*others, heard)))
            return
        what, after, following, wrong, ends_lease, hints = self.takes(row, one)
        left = self.processes.all_lost(others, 0) if ends_lease else others
        left = self.processes.all_hinted(left, 0) if hints else left
        yield what, (after, out, wrong, *sorted((*left, *following)))

    def _open(self, row: int, out: int, processes: State) -> Iterator[Way]:
        is_called = any(self._is_calling(one) for one in processes)
        for what, then, waits_for_call in self.times(row):
            if not (waits_for_call and is_called):
                yield what, (then, out, 0, *processes)
        if (then := self.hints(row)) >= 0:
            yield "a message of the provider", (then, out, 0, *sorted(self.processes.all_hinted(processes, 0)))
        for what, then, following in self.begins(row):
            if len(processes) + len(following) <= self.most:
                yield what, (then, out, 0, *sorted((*self._left(row, then, processes, following), *following)))
        decided = self.decides(row, truth) if (truth := self.truth(out)) >= 0 else []
        for what, then in (*self.tells(row, out), *decided):
            yield what, (then, out, 0, *sorted(self._left(row, then, processes)))

    def _left(self, row: int, then: int, processes: State, following: tuple[int, ...] = ()) -> Iterable[int]:
        """The processes, after another one has changed the row."""
        before, after = self.rows.values[row], self.rows.values[then]
        if following or before.lease != after.lease:
            return self.processes.all_lost(processes, 0)
        return self.processes.all_hinted(processes, 0) if before.ask != after.ask else processes

    def _is_calling(self, one: int) -> bool:
        asking = self.processes[one]
        return asking.is_own and not asking.heard

    def broken(self, state: State) -> str | None:
        """The first property that does not hold."""
        if state[2]:
            return str(self.wrongs.values[state[2]])
        if found := self.breaks(state[0], state[1]):
            return str(found)
        if sum(self.acts(one, state[1]) for one in state[3:]) > 1:
            return "two calls at once that both may move money"
        return None

    def is_end(self, state: State) -> bool:
        return len(state) == 3 and bool(self.is_final(state[0]))

    # What each object says for itself.
    def _calls(self, one: int, out: int) -> list[tuple[str, int, int, int]]:
        raise NotImplementedError

    def _takes(self, row: int, one: int) -> tuple[str, int, tuple[int, ...], int, bool, bool]:
        raise NotImplementedError

    def _begins(self, row: int) -> list[tuple[str, int, tuple[int, ...]]]:
        raise NotImplementedError

    def _times(self, row: int) -> list[tuple[str, int, bool]]:
        raise NotImplementedError

    def _decides(self, row: int, truth: int) -> list[tuple[str, int]]:
        raise NotImplementedError

    def _outsides(self, out: int) -> list[tuple[str, int]]:
        raise NotImplementedError

    def _hints(self, row: int) -> int:
        return -1

    def _tells(self, row: int, out: int) -> list[tuple[str, int]]:
        """Messages of a provider that is believed."""
        return []

    def _truth(self, out: int) -> int:
        raise NotImplementedError

    def _is_over(self, row: int, out: int) -> bool:
        return False

    def _breaks(self, row: int, out: int) -> str | None:
        raise NotImplementedError

    def _acts(self, one: int, out: int) -> bool:
        raise NotImplementedError

    def _is_final(self, row: int) -> bool:
        raise NotImplementedError
