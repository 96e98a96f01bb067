"""One process of the gateway itself: web server, worker, timetable, webhook dispatcher."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gateway.local import home, processes


class Child:
    """A command that should run as long as we do."""

    kill_signal: int = signal.SIGKILL

    def __init__(self, name: str, command: Sequence[str | Path], log: Path, env: Mapping[str, str]) -> None:
        self.name, self.command, self.log, self.env = name, command, log, env
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, or starts it again."""
        processes.bound(self.log)
        self.process = processes.spawn(self.command, self.log, env=self.env, cwd=home.CHECKOUT)

    def alive(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int | None:
        """Its number, once it was started."""
        return self.process.pid if self.process else None

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        return self.process.poll() if self.process else None

    def signal(self, signal_number: int) -> None:
        """Asks the process to end; SIGKILL is sent to its whole session, since its workers may outlive it."""
        if self.pid is None:
            return
        with suppress(ProcessLookupError):
            if signal_number == signal.SIGKILL:
                os.killpg(self.pid, signal_number)
            elif self.alive():
                os.kill(self.pid, signal_number)
