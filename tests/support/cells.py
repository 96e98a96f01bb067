"""The suite in cells: `make test CELLS=4`. Each process has its companies in one of them, and the others are there."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from pathlib import Path

import pytest

from accounts.base import cells
from accounts.models import Cell
from gateway.cells.building import build

_TESTS, _PYTHON = str(Path(__file__).parents[1]), os.path.dirname(threading.__file__)
CELLS = int(os.environ.get("CELLS") or 0)


def not_in_cells(reason: str) -> pytest.MarkDecorator:
    """Of a test that is about the first cell only."""
    return pytest.mark.skipif(CELLS > 0, reason=reason)


def _of_this_process() -> int:
    """1, 2, …, for the processes of a run."""
    return int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % CELLS + 1


@contextmanager
def in_a_cell() -> Iterator[None]:
    """Makes the cells. What a test does by itself works in one of them, in which companies that register live; what
    comes through a door has to find it.
    """
    if not CELLS:
        yield
        return
    names = [f"cell_{number:02}" for number in range(1, CELLS + 1)]
    for name in names:
        build(name)
    ours = names[_of_this_process() - 1]
    Cell.objects.exclude(name=ours).update(is_open=False)
    with cells.opened(ours), _threads_of_tests_follow():
        yield


@contextmanager
def _threads_of_tests_follow() -> Iterator[None]:
    """What a test begins in a thread works where the test does. Threads of ours have to find their cell."""
    start = threading.Thread.start

    def following(thread: threading.Thread) -> None:
        if _is_of_a_test():
            thread.run = partial(copy_context().run, thread.run)  # type: ignore[method-assign]
        start(thread)

    threading.Thread.start = following  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]


def _is_of_a_test() -> bool:
    """Whether a test has begun the thread, not a line of ours or of a library."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_code.co_filename.startswith(_PYTHON):
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(_TESTS)
