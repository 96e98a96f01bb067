"""Each web process has a processor of its own, where there are as many of both."""

import os
import signal
from multiprocessing import get_context
from typing import Any

import pytest

from gateway.serving.processors import Processors

fork = get_context("fork")
HERE = sorted(os.sched_getaffinity(0))
several = pytest.mark.skipif(len(HERE) < 2, reason="this machine has one processor")


def _take(processors: Processors, told: Any, ends: Any) -> None:
    told.send((processors.take(), sorted(os.sched_getaffinity(0))))
    ends.wait(30)


class Forked:
    """A process that has taken a processor."""

    def __init__(self, processors: Processors) -> None:
        self.told, other = fork.Pipe()
        self.process = fork.Process(target=_take, args=[processors, other, fork.Event()])
        self.process.start()
        assert self.told.poll(20)
        self.took, self.runs_on = self.told.recv()

    def die(self) -> None:
        os.kill(self.process.pid or 0, signal.SIGKILL)
        self.process.join()


@several
def test_each_process_has_its_own_and_who_replaces_one_that_died_has_the_same() -> None:
    processors = Processors(len(HERE))
    forked = [Forked(processors) for _ in HERE]
    try:
        assert sorted(one.took for one in forked) == HERE
        assert [one.runs_on for one in forked] == [[one.took] for one in forked]

        forked[0].die()
        again = Forked(processors)
        assert again.took == forked[0].took
        forked[0] = again
    finally:
        for one in forked:
            one.die()
    assert sorted(os.sched_getaffinity(0)) == HERE


@pytest.mark.parametrize("processes", [1, len(HERE) + 1])
def test_where_there_are_more_or_fewer_processes_linux_decides(processes: int) -> None:
    one = Forked(Processors(processes))
    one.die()
    assert (one.took, one.runs_on) == (None, HERE)
