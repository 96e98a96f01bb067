"""A processor for each web process, where there are as many of both.

Python uses one processor at a time. Left to Linux, the threads of a process move between processors, and each time
what one has cached is not where the next one looks: with two processes on two processors a tenth to a fifth of the
time. Other programs may use each processor as before.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from ctypes import c_int
from multiprocessing import Array
from typing import Any


class Processors:
    """The processors of this host, shared by processes that are forked from the one that makes it."""

    def __init__(self, processes: int) -> None:
        found = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        self._numbers = found if len(found) == processes > 1 else []
        self._users: Any = Array(c_int, len(self._numbers))

    def take(self) -> int | None:
        """Keeps this process, with all its threads, on a processor that no other process has. None: nothing is done."""
        with self._users.get_lock():
            place = next((n for n, user in enumerate(self._users) if not _lives(user)), None)
            if place is None:
                return None
            self._users[place] = os.getpid()
        _keep(self._numbers[place], _threads())
        return self._numbers[place]


def _lives(process: int) -> bool:
    if not process:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # its number is another one's by now
        return False
    return True


def _threads() -> Iterable[int]:
    """Those of this process so far; others have what the thread has that starts them."""
    return map(int, os.listdir("/proc/self/task"))


def _keep(number: int, threads: Iterable[int]) -> None:
    for thread in threads:
        with suppress(OSError):  # it has ended, or a container forbids it
            os.sched_setaffinity(thread, {number})
