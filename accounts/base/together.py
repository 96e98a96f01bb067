"""Writes of several threads in one statement and one commit: what waits while one is written is written with the next.

A write that comes alone waits for nobody, and is not handed to another thread.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Generic, TypeVar

from django.db import DatabaseError, InterfaceError, connection, transaction

W = TypeVar("W")
MOST = 16
"""Writes in one statement."""
PATIENCE_S = 1.0
"""How long a thread waits for others to write."""


class _Turn(Generic[W]):
    """A thread with its write. It is woken when somebody has written it, or when it is to write itself."""

    __slots__ = ("leads", "wakes", "write", "written")

    def __init__(self, write: W) -> None:
        self.write, self.leads, self.written = write, False, False
        self.wakes = Lock()
        self.wakes.acquire()


class Together(Generic[W]):
    """The writes of one kind in this process.

    `store` writes all or none, in one statement. Two writes with the same one of `names` are never in one statement.
    """

    def __init__(
        self,
        store: Callable[[Sequence[W]], object],
        names: Callable[[W], Iterable[Hashable]],
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._store, self._names, self._patience_s = store, names, patience_s
        self._lock = Lock()
        self._is_led = False
        self._waiting: deque[_Turn[W]] = deque()

    def write(self, write: W) -> bool:
        """Whether it was written. False: the statement was refused, or its outcome is unknown."""
        if connection.in_atomic_block:
            return self._stored([write])
        turn = _Turn(write)
        with self._lock:
            if self._is_led:
                self._waiting.append(turn)
            else:
                self._is_led = turn.leads = True
        if not turn.leads and not turn.wakes.acquire(timeout=self._patience_s):
            self._give_up(turn)
        if turn.leads:
            self._lead(turn)
        return turn.written

    def _give_up(self, turn: _Turn[W]) -> None:
        """Whoever writes is stuck: each waits for the database by itself, within its own limits. Who no longer waits is
        being written, or leads.
        """
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)

    def waiting(self) -> int:
        """How many writes wait for the one that is being written."""
        return len(self._waiting)

    def _lead(self, turn: _Turn[W]) -> None:
        turns = self._gathered(turn)
        written = False
        try:
            written = self._stored([one.write for one in turns])
        finally:
            with self._lock:
                after = self._waiting.popleft() if self._waiting else None
                self._is_led = after is not None
                if after:
                    after.leads = True
            if after:
                after.wakes.release()
            for one in turns:
                one.written = written
                if one is not turn:
                    one.wakes.release()

    def _gathered(self, first: _Turn[W]) -> list[_Turn[W]]:
        """The first and what has waited longest beside it."""
        turns, used = [first], set(self._names(first.write))
        with self._lock:
            for one in [*self._waiting][: MOST - 1]:
                names = set(self._names(one.write))
                if used.isdisjoint(names):
                    used |= names
                    turns.append(one)
                    self._waiting.remove(one)
        return turns

    def _stored(self, writes: Sequence[W]) -> bool:
        try:
            if connection.in_atomic_block:
                with transaction.atomic():
                    self._store(writes)
            else:
                self._store(writes)
        except (DatabaseError, InterfaceError):
            return False
        return True
