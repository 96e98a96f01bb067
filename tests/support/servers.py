"""Servers of a suite that starts its own: programs of the system as processes that are killed and started again."""

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from gateway.local import processes

Owner = tuple[int, int]


def where_is(name: str) -> str | None:
    """Where it is; None where it is not installed."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def owner() -> Owner:
    """Who runs servers and has their files: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def signal_tree(pid: int, number: int) -> None:
    """Signals a process and its descendants."""
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        for one in [root, *root.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                one.send_signal(number)


class Process:
    """A program that is started again after it was killed. All of it is killed: its children, too."""

    def __init__(
        self, folder: Path, owner: Owner, name: str, command: list[Any], env: Mapping[str, str] | None = None
    ) -> None:
        self.owner, self.name, self.env = owner, name, env or {}
        self.command = [where_is(str(command[0])) or str(command[0]), *(str(word) for word in command[1:])]
        self.log = folder / f"{name}.log"
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Only from the thread that lives longest: the kernel ends it with the thread that has started it."""
        if not self.runs():
            self.child = processes.spawn(
                self.command,
                self.log,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", **self.env},
                owner=self.owner,
            )

    def runs(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def signal(self, number: int) -> None:
        if self.runs():
            assert self.child
            signal_tree(self.child.pid, number)

    def stop(self) -> None:
        if self.child is None:
            return
        self.signal(signal.SIGCONT)
        with suppress(ProcessLookupError):
            self.child.terminate()
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        if self.child:
            self.child.wait(20)
