"""The API as it is served: the real web server, and a client that writes every byte of a request itself."""

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from gateway.local import processes
from gateway.local.up import GATEWAY
from tests.support.network import free_port

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 120


@dataclass(frozen=True)
class Served:
    """Where the web server listens."""

    port: int

    def send(self, head: str, *pieces: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of what is answered to these bytes."""
        with self.connected() as peer:
            peer.sendall(head.replace("\n", "\r\n").encode() + b"\r\n")
            for piece in pieces:
                peer.sendall(piece)
            answer = HTTPResponse(peer)
            answer.begin()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    @contextmanager
    def connected(self) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as peer:
            yield peer

    def call(
        self, method: str, path: str, key: str, content: bytes, *, chunks: int | None = None, asked_as: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        """One call of the API, plain or in so many chunks."""
        length = f"Content-Length: {len(content)}" if chunks is None else "Transfer-Encoding: chunked"
        head = (
            f"{method} {path} HTTP/1.1\nHost: localhost\nConnection: close\nContent-Type: application/json\n"
            f"x-api-key: {key}\nidempotency-key: {asked_as or uuid.uuid4()}\n{length}\n"
        )
        return self.send(head, content if chunks is None else chunked(content, chunks))


def chunked(content: bytes, chunks: int) -> bytes:
    size = max(1, -(-len(content) // chunks))
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@contextmanager
def served(**own: str) -> Iterator[Served]:
    """The service over the test's own database, as `make run` starts it, with settings of its own."""
    port = free_port()
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    limits = {f"ONPAY_RATE_LIMIT_{scope.upper()}": "1000000" for scope in settings.RATE_LIMITS}
    command = GATEWAY["web"].format(host="127.0.0.1", port=port)
    process = subprocess.Popen(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env=os.environ | limits | {"DATABASE_URL": database, "ONPAY_BASE_URL": f"http://localhost:{port}"} | own,
        start_new_session=True,
        preexec_fn=processes.ends_with(os.getpid(), signal.SIGTERM),
    )
    try:
        wait_until_it_listens(port)
        yield Served(port)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def wait_until_it_listens(port: int) -> None:
    """Waits for a server that is starting."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.05)
