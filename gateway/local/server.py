"""Starting and stopping embedded servers: shared by PostgreSQL and Valkey."""

import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

from gateway.local import home, processes
from gateway.local.errors import LocalError

START_TIMEOUT_S = 20
RETRY_S = 0.25


class Server(ABC):
    """A server on a unix socket, with its data in one folder. Starting it twice is starting it once."""

    name: str
    stop_signal: int = signal.SIGTERM
    kill_signal: int = signal.SIGKILL
    owner: tuple[int, int]
    sockets: Path

    def __init__(self, place: Path, *, durable: bool) -> None:
        self.folder = place
        self.durable = durable
        self.child: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def variables(self) -> dict[str, str]:
        """Its addresses, as the environment of those who use it."""

    @abstractmethod
    def prepare(self) -> None:
        """Makes what must exist before the first start. Sets owner and sockets."""

    @abstractmethod
    def command(self) -> list[str | Path]:
        """The server, in the foreground."""

    @abstractmethod
    def ready(self) -> bool:
        """Whether it answers on its socket."""

    def complete(self) -> None:  # noqa: B027  (there may be nothing)
        """Makes what can only be made in a server that answers, if it is missing."""

    @abstractmethod
    def leftovers(self) -> list[Path]:
        """Files left by a crashed server that prevent a new one from starting. The first contains its process id."""

    @property
    @abstractmethod
    def mark(self) -> str:
        """The part of its command line by which we know it."""

    def environment(self) -> Mapping[str, str]:
        """Without our environment, since a stray PGPORT would change the server; only its owner's."""
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "ONPAY_HOME": str(home.folder())}

    @property
    def log(self) -> Path:
        return self.folder.with_suffix(".log")

    def start(self) -> None:
        """Starts the server unless it runs already, and returns when it answers. Many may call it at once.

        A process id that another program has meanwhile got is forgotten, never signalled. Right after a
        `kill -9` the orphans of the old server still hold its memory, so a failed start is tried again.
        """
        home.make(self.folder.parent)
        held = home.lock(self.folder.with_suffix(".lock"), wait=True)
        try:
            self.prepare()
            processes.bound(self.log)
            deadline = time.monotonic() + START_TIMEOUT_S
            while not self.ready():
                if time.monotonic() > deadline:
                    raise LocalError(f"{self.name} did not start: see {self.log}")
                self._try()
            self.complete()
        finally:
            if held:
                held.close()

    def _try(self) -> None:
        if self.pid() is None and (self.child is None or self.child.poll() is not None):
            if self.child:
                time.sleep(RETRY_S)
            for path in self.leftovers():
                path.unlink(missing_ok=True)
            self.child = processes.spawn(
                self.command(),
                self.log,
                env=self.environment(),
                owner=self.owner,
                stop_signal=self.stop_signal,
            )
        time.sleep(0.03)

    def pid(self) -> int | None:
        """The server of this folder, no matter which process started it."""
        return processes.recorded(self.leftovers()[0], self.mark)

    def alive(self) -> bool:
        """Whether there is a process; it may not answer yet."""
        return (self.child is not None and self.child.poll() is None) or self.pid() is not None

    def stop(self, within_s: float = 5) -> None:
        """Stops the server in order, or in time."""
        for signal_number in (self.stop_signal, self.kill_signal):
            self.signal(signal_number)
            if processes.wait_until(lambda: not self.alive(), within_s):
                return

    def signal(self, signal_number: int) -> None:
        """Signals the server, and only the server."""
        pid = self.child.pid if self.child and self.child.poll() is None else self.pid()
        if pid:
            processes.signal_to(pid, signal_number)
