"""Taps between a process and its neighbours: everything is passed on, and kept. They can break, too."""

import base64
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingMixIn, ThreadingTCPServer, ThreadingUnixStreamServer
from typing import ClassVar
from urllib.parse import unquote_plus

from tests.support.card_numbers import numbers_in

Address = tuple[str, int] | str
"""Of a server: host and port, or the path of its socket."""


@dataclass
class Tap:
    """`streams` has one direction of one connection each, so that nothing is torn apart.

    A connection breaks after every `breaks_every`th message with the bytes `breaks_after`, which arrives: the answer is
    lost.
    """

    behind: Address
    streams: list[bytearray] = field(default_factory=list)
    breaks_after: bytes = b""
    breaks_every: int = 1
    broken: int = 0
    _seen: int = 0

    def heard(self) -> list[bytes]:
        return [bytes(stream) for stream in self.streams]

    def forget(self) -> None:
        """What was heard so far; connections stay."""
        for stream in self.streams:
            stream.clear()

    def _is_turn(self) -> bool:
        self._seen += 1
        is_turn = self._seen % self.breaks_every == 0
        self.broken += is_turn
        return is_turn

    def pump(self, source: socket.socket, target: socket.socket) -> None:
        stream = bytearray()
        self.streams.append(stream)
        with suppress(OSError):
            while data := source.recv(65536):
                stream += data
                target.sendall(data)
                if self.breaks_after and self.breaks_after in data and self._is_turn():
                    source.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


class _Handler(BaseRequestHandler):
    tap: ClassVar[Tap]

    def handle(self) -> None:
        behind = self.tap.behind
        with socket.socket(socket.AF_UNIX if isinstance(behind, str) else socket.AF_INET) as further:
            further.connect(behind)
            threading.Thread(target=self.tap.pump, args=(self.request, further), daemon=True).start()
            self.tap.pump(further, self.request)


@contextmanager
def tapped(behind: Address, path: Path | None = None) -> Iterator[tuple[Tap, int]]:
    """A tap in front of that server: at the socket `path`, else at a port of loopback."""
    tap = Tap(behind)
    handler = type("OfOneTap", (_Handler,), {"tap": tap})
    kind: type[ThreadingMixIn] = ThreadingUnixStreamServer if path else ThreadingTCPServer
    server = kind(str(path) if path else ("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield tap, 0 if path else server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def forms(number: str) -> set[bytes]:
    """How a number may be written: as it is, in hexadecimal, as an integer, packed, wide, or anywhere in base64."""
    digits = number.encode()
    hexadecimal = digits.hex()
    packed = bytes.fromhex(number + "f" * (len(number) % 2))
    wide, integer = number.encode("utf-16-le"), int(number).to_bytes(8)
    return {digits, hexadecimal.encode(), hexadecimal.upper().encode(), packed, wide, integer, *_in_base64(digits)}


def _in_base64(digits: bytes) -> Iterator[bytes]:
    """The characters that only depend on these digits, whatever stands before and behind them."""
    for before in range(3):
        written = base64.b64encode(bytes(before) + digits)
        yield written[-(-8 * before // 6) : 8 * (before + len(digits)) // 6]


def card_numbers_in(streams: Iterable[bytes], known: Iterable[str]) -> set[str]:
    """Known numbers in any form, and whatever else an issuer could have given; URL encoding hides neither."""
    wanted = {number: forms(number) for number in known}
    found = set()
    for stream in streams:
        texts = {stream.decode("latin-1"), unquote_plus(stream.decode("latin-1"), "latin-1")}
        found |= {number for text in texts for number in numbers_in(text, wanted)}
        found |= {number for number, written in wanted.items() if any(one in stream for one in written)}
    return found
