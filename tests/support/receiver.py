"""A merchant's webhook receiver: a real HTTP server on loopback whose next answer the test chooses."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Received:
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`answers` are given one after another, then 200 for ever; each after `takes_s`."""

    url: str = ""
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    takes_s: float = 0.0

    def will_answer(self, status: int, **headers: str) -> None:
        self.answers.append((status, {name.replace("_", "-"): value for name, value in headers.items()}))

    @property
    def types(self) -> list[str]:
        return [one.headers["x-onpay-event"] for one in self.received]


@contextmanager
def listening() -> Iterator[Receiver]:
    """A receiver that listens as long as the block runs."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.received.append(Received({k.lower(): v for k, v in self.headers.items()}, body))
            time.sleep(receiver.takes_s)
            status, headers = receiver.answers.pop(0) if receiver.answers else (200, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", "0")
            with suppress(OSError):  # who asked may be dead
                self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/hooks"
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
