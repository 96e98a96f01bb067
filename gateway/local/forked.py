"""Processes of the gateway that are forked from one that has loaded it, and so share most of their memory."""

import multiprocessing
import os
import runpy
import signal
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from gateway.local import home, processes
from gateway.local.child import Child

LOADED = "gateway.loaded"


class Forked(Child):
    """A Python command: `-m a.module …` or `a_script.py …`. All have the environment of this process."""

    def __init__(self, name: str, command: Sequence[str | Path], log: Path, env: Mapping[str, str]) -> None:
        super().__init__(name, command, log, env)
        self.forked: ForkServerProcess | None = None

    def start(self) -> None:
        processes.bound(self.log)
        os.environ.update(self.env)
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([LOADED])
        words = [str(word) for word in self.command[1:]]
        self.forked = context.Process(target=_run, args=(self.name, words, self.log), name=self.name)
        self.forked.start()

    def alive(self) -> bool:
        return self.forked is not None and self.forked.is_alive()

    @property
    def pid(self) -> int | None:
        return self.forked.pid if self.forked else None

    @property
    def code(self) -> int | None:
        return self.forked.exitcode if self.forked else None


def _run(name: str, words: list[str], log: Path) -> None:
    """Becomes the command: a session of its own, its output in the log, and no longer than the process before it."""
    os.setsid()
    processes.ends_with(os.getppid(), signal.SIGTERM)()
    processes.call_myself(name)
    os.chdir(home.CHECKOUT)
    multiprocessing.set_start_method("fork", force=True)  # for the workers of the web server
    sys.stdout.flush()
    sys.stderr.flush()
    with log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")
