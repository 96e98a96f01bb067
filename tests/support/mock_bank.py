"""A bank that others wrote (PyPI `mock-bank`), as a process of its own on loopback with a drop and a pickup folder."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.support.network import free_port

OURS = "NL41MOCK0000000001"
"""The account that the bank holds for us when it starts, in euros; others hold more."""
CLOSED = "INITECH"


@dataclass
class MockBank:
    """Its folders, and its clock, which stands still until it is moved."""

    url: str
    drop: Path
    pickup: Path
    _seen: set[str] = field(default_factory=set)

    def take(self, content: bytes, name: str) -> dict[str, Any]:
        """Drops a file as a client should: under a name that is not read, then renamed."""
        part = self.drop / f"{name}.part"
        part.write_bytes(content)
        part.rename(self.drop / name)
        return self.ask("POST", "/_mock/drop/scan")

    def new_files(self) -> dict[str, bytes]:
        """What it has written since the last call, in the order of writing."""
        written = sorted(self.pickup.iterdir(), key=lambda one: int(one.stem.rpartition("-")[2]))
        new = {one.name: one.read_bytes() for one in written if one.name not in self._seen}
        self._seen |= new.keys()
        return new

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urlopen(request, timeout=20) as response:
            return json.loads(response.read() or b"null")


@contextmanager
def mock_bank(folder: Path, clock: str = "2026-10-01T09:00") -> Iterator[MockBank]:
    """Runs it until the end of the block. Its day is a Thursday."""
    drop, pickup = folder / "in", folder / "out"
    drop.mkdir()
    pickup.mkdir()
    port = free_port()
    command = [
        sys.executable, "-m", "mockbank", "-q", "--host", "127.0.0.1", "--port", str(port), "--clock", clock,
        "--cutoff", "15:00", "--drop-dir", str(drop), "--pickup-dir", str(pickup), "--drop-settle-ms", "0",
        "--drop-interval-ms", "3600000",
    ]  # fmt: skip
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        bank = MockBank(f"http://127.0.0.1:{port}", drop, pickup)
        _wait_for(bank, process, folder / "log")
        yield bank
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(bank: MockBank, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(300):
        assert process.poll() is None, log.read_text()[-3000:]
        try:
            bank.ask("GET", "/_mock/health")
            return
        except URLError:
            time.sleep(0.05)
    raise AssertionError(log.read_text()[-3000:])
