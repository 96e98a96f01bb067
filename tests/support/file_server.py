"""`python -m tests.support.file_server PORT`: a server of files, each as many megabytes as its path says."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import django
from granian import Granian
from granian.constants import HTTPModes, Interfaces

MEGABYTE = 1024 * 1024
BREAKS = "/breaks"


class Pieces:
    streaming = True

    def __init__(self, path: str) -> None:
        self.path = path

    def __iter__(self) -> Iterator[bytes]:
        if self.path == BREAKS:
            yield b"the first piece"
            raise RuntimeError("in the middle of the file")
        for n in range(int(self.path[1:])):
            yield b"%08d" % n * (MEGABYTE // 8)

    def close(self) -> None:
        pass


def made(environ: dict[str, Any], start_response: Callable[..., object]) -> Pieces:
    start_response("200 OK", [("Content-Type", "text/csv")])
    return Pieces(environ["PATH_INFO"])


def __getattr__(name: str) -> Any:
    """The application, which can be imported only after Django is set up."""
    if name != "application":
        raise AttributeError(name)
    django.setup()
    from gateway.serving.application import Application

    return Application(made)  # type: ignore[arg-type]


if __name__ == "__main__":
    Granian(
        "tests.support.file_server:application",
        port=int(sys.argv[1]),
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        websockets=False,
    ).serve()
