"""`python -m gateway.serving`: the command of the web server, for `make run`, the image and any other host."""

import argparse
import importlib
import threading

from django.db import connections
from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels

from gateway.serving.limits import web_processes

APPLICATION = "gateway.rsgi"
HEADERS_WITHIN_MS = 20_000
WORKERS_END_WITHIN_S = 20


def main() -> None:
    """Serves until SIGTERM or SIGINT; a worker that dies is restarted.

    The application is loaded here first, so that workers share its memory and unsafe settings end the command.
    """
    wanted = argparse.ArgumentParser(prog="gateway.serving", description=__doc__)
    wanted.add_argument("--host", default="127.0.0.1")
    wanted.add_argument("--port", type=int, default=8000)
    given = wanted.parse_args()
    _load()
    Granian(
        f"{APPLICATION}:application",
        address=given.host,
        port=given.port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        loop=Loops.uvloop,
        websockets=False,
        workers=web_processes(),
        http1_settings=HTTP1Settings(header_read_timeout=HEADERS_WITHIN_MS),
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
        workers_kill_timeout=WORKERS_END_WITHIN_S,
    ).serve()


def _load() -> None:
    """Closes connections opened by the startup checks before workers are forked."""
    importlib.import_module(APPLICATION)
    for connection in connections.all(initialized_only=True):
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
    if threading.active_count() > 1:
        raise RuntimeError(f"Threads that the workers would not have: {threading.enumerate()}")


if __name__ == "__main__":
    main()
