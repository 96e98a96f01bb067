"""The web server as it is shipped, on the database of the tests."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]


START_WITHIN_S = 120


@dataclass
class Server:
    """A running web server, and how to reach it over a plain socket."""

    port: int
    log: Path

    def connect(self, source: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20, source_address=(source, 0))

    def ask(self, request: bytes, source: str = "127.0.0.1") -> bytes:
        """Everything that comes back until the server hangs up."""
        with closing(self.connect(source)) as client:
            with suppress(OSError):  # it may hang up before it has read all
                client.sendall(request)
            return received(client)


def received(client: socket.socket) -> bytes:
    """What comes until the other side hangs up."""
    parts = []
    with suppress(ConnectionResetError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


@contextmanager
def serving(log: Path, port: int, **environment: str) -> Iterator[Server]:
    """`python -m gateway.serving`, until the block ends."""
    env = os.environ | {
        "DATABASE_URL": tested_database(),
        "ONPAY_LOCAL": "1",
        "ONPAY_BASE_URL": f"http://localhost:{port}",
        "ONPAY_ALLOWED_HOSTS": "gateway",
        "ONPAY_RATE_LIMIT_ALL": "1000000",
        "ONPAY_RATE_LIMIT_PAYMENTS": "1000000",
        "ONPAY_RATE_LIMIT_PAYERS": "1000000",
        "ONPAY_RATE_LIMIT_LINK_PAYERS": "1000000",
        "ONPAY_RATE_LIMIT_PAYMENT_LINKS": "1000000",
        **environment,
    }
    command = [sys.executable, "-m", "gateway.serving", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output, start_new_session=True)
    try:
        wait_until_it_answers(process, port, log)
        yield Server(port, log)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # a polite end waits for every call that waits for an event
        process.wait(40)


def tested_database() -> str:
    """The one that this process tests on."""
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


def wait_until_it_answers(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_WITHIN_S
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), timeout=1)):
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text()[-3000:])
