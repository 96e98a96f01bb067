"""`python -m gateway.serving`: the one command of the web server, for `make run`, the image and any other host."""

import argparse
import os

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

HEADERS_WITHIN_MS = 20_000
WORKERS_END_WITHIN_S = 20


def main() -> None:
    """Serves until SIGTERM or SIGINT; a worker that dies is started again."""
    wanted = argparse.ArgumentParser(prog="gateway.serving", description=__doc__)
    wanted.add_argument("--host", default="127.0.0.1")
    wanted.add_argument("--port", type=int, default=8000)
    given = wanted.parse_args()
    Granian(
        "gateway.rsgi:application",
        address=given.host,
        port=given.port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=int(os.environ.get("ONPAY_WEB_WORKERS", "2")),
        http1_settings=HTTP1Settings(header_read_timeout=HEADERS_WITHIN_MS),
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
        workers_kill_timeout=WORKERS_END_WITHIN_S,
    ).serve()


if __name__ == "__main__":
    main()
