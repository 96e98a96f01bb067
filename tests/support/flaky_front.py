"""A bad line in front of the service: what an order's reference begins with says what happens to its first try."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import ClassVar

REFUSALS = {
    "busy": (429, "ONP429", 0),
    "down": (503, "ONP503", 0),
    "begun": (409, "ONP409_IDEMPOTENCY_IN_PROGRESS", 0),
    "later": (503, "ONP503", 30),
}


@dataclass
class FlakyFront:
    """`lost-1` reaches the service and its answer is lost; `down-1` is refused; the second try passes."""

    behind: str
    url: str = ""
    tries: list[tuple[str, str]] = field(default_factory=list)
    """(reference, idempotency key) of every POST, and the path of every DELETE."""

    def keys_of(self, reference: str) -> list[str]:
        return [key for name, key in self.tries if name == reference]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    front: ClassVar[FlakyFront]

    def do_GET(self) -> None:
        self.pass_on(b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        reference = json.loads(body or b"{}").get("reference", "")
        misfortune = "" if self.front.keys_of(reference) else reference.partition("-")[0]
        self.front.tries.append((reference, self.headers["idempotency-key"]))
        if misfortune in REFUSALS:
            self.refuse(*REFUSALS[misfortune])
        else:
            self.pass_on(body, is_lost=misfortune == "lost")

    def do_DELETE(self) -> None:
        """The answer to the first one is lost."""
        is_first = not self.front.keys_of(self.path)
        self.front.tries.append((self.path, ""))
        self.pass_on(b"", is_lost=is_first)

    def pass_on(self, body: bytes, *, is_lost: bool = False) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        further = HTTPConnection(self.front.behind)
        with closing(further):
            further.request(self.command, self.path, body, headers)
            came = further.getresponse()
            content = came.read()
        if is_lost:
            self.close_connection = True
        else:
            self.answer(came.status, content, came.headers["content-type"])

    def refuse(self, status: int, code: str, retry_after: int) -> None:
        error = {"code": code, "message": "x.", "retryable": True, "requestId": "req_x", "retryAfter": retry_after}
        self.answer(status, json.dumps({"success": False, "error": error}).encode(), "application/json")

    def answer(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def flaky_front(behind: str) -> Iterator[FlakyFront]:
    """Listens on loopback as long as the block runs."""
    front = FlakyFront(behind.removeprefix("http://"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"front": front}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    front.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield front
    finally:
        server.shutdown()
        server.server_close()


class _Drips(StreamRequestHandler):
    first: ClassVar[bytes]

    def handle(self) -> None:
        self.rfile.readline()
        with suppress(OSError):
            self.wfile.write(self.first)
            for _ in range(50):
                self.wfile.write(b"x")
                time.sleep(0.1)


@contextmanager
def dripping(first: bytes) -> Iterator[str]:
    """The address of a server that sends these bytes, and then one every tenth of a second for five seconds."""
    server = ThreadingTCPServer(("127.0.0.1", 0), type("Handler", (_Drips,), {"first": first}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.socket.close()
