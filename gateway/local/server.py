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
ASKED_EVERY_S = 5.0
FIRST_PATIENCE_S = 10.0


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
        self.asked_at = 0.0
        self.refused_since: float | None = None
        self.patience_s = FIRST_PATIENCE_S

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
    def takes_clients(self) -> bool | None:
        """False while it runs and refuses them, as after a crash until it has recovered; None if nobody answers."""

    def ready(self) -> bool:
        """Whether it takes clients."""
        return self.takes_clients() is True

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

    def end_if_stuck(self) -> bool:
        """Ends a server that has refused its clients for too long; the next time it may refuse them for twice as long.

        PostgreSQL 18.4 does not always come back by itself: where its log has no room while it recovers from a crash,
        it may go on without the process that recovers.
        """
        now = time.monotonic()
        if now < self.asked_at + ASKED_EVERY_S:
            return False
        self.asked_at, takes_clients = now, self.takes_clients()
        if takes_clients is not False:
            self.refused_since = None
            if takes_clients:
                self.patience_s = FIRST_PATIENCE_S
        elif self.refused_since is None:
            self.refused_since = now
        elif now >= self.refused_since + self.patience_s:
            self.refused_since, self.patience_s = None, self.patience_s * 2
            self.signal(self.kill_signal)
            return True
        return False

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
