"""What institutions publish about their APIs, which is no part of this repository, and somebody else's proxy for it."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.network import free_port
from tests.support.sources import ROOT

PUBLISHED = Path(os.environ.get("ONPAY_PUBLISHED_FILES", ROOT.parent / "shared" / "data"))


@contextmanager
def validating(tools: Path, file: Path, behind: int, log: Path) -> Iterator[int]:
    """The port of a proxy that answers 422 to a request, and 500 to an answer, which the file does not allow."""
    port = free_port()
    command = [tools / "prism", "proxy", file, f"http://127.0.0.1:{behind}", "--errors", "-p", str(port)]
    with log.open("w") as written:
        proxy = subprocess.Popen([str(part) for part in command], stdout=written, stderr=subprocess.STDOUT)
        try:
            _wait_for(port, proxy, log)
            yield port
        finally:
            proxy.terminate()
            proxy.wait(10)


def _wait_for(port: int, proxy: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(300):
        assert proxy.poll() is None, log.read_text()[-3000:]
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(log.read_text()[-3000:])
