"""Runs one command with its own database and broker, and removes them afterwards."""

import os
import signal
import subprocess
from collections.abc import Sequence
from types import FrameType

from gateway.local import home, processes, stores
from gateway.local.server import Server


def run_with(command: Sequence[str], *, durable: bool) -> int:
    """Runs a command on servers that nobody else uses, and returns its exit code.

    Several of these at once get a folder each. Without `durable` nothing in it waits for the disk.
    """
    place, held = home.claim("bench" if durable else "test")
    child: subprocess.Popen[bytes] | None = None

    def stop(number: int, _frame: FrameType | None) -> None:
        if child is None:
            raise SystemExit(128 + number)
        child.terminate()

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    started: list[Server] = []
    try:
        for server in stores.missing(place, durable=durable):
            server.start()
            started.append(server)
        signal.signal(signal.SIGINT, lambda *_: None)  # the command receives Ctrl-C too, and handles it
        env = stores.environment(place, started) | {"ONPAY_HOME": str(place)}
        last_will = processes.ends_with(os.getpid(), signal.SIGTERM)
        child = subprocess.Popen(command, env=env, preexec_fn=last_will)
        code = child.wait()
        return code if code >= 0 else 128 - code
    finally:
        for server in reversed(started):
            server.stop()
        held.close()
