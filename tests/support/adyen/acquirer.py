"""Checkout on loopback with TLS: answers from its books, or goes wrong when told to."""

import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any

from tests.support.adyen.books import Books, error
from tests.support.adyen.webhooks import HMAC_KEY
from tests.support.bacen_pix.bank import AFTER as WRONG_ANSWERS
from tests.support.bacen_pix.bank import WAITED_FOR, Handler, authority

API_KEY = "AQEyhmfxK4vHbBBCw0m/n3Q5qf3VaY9UCJ1+XWZe9W27jmlZip"
REPORT_KEY = "AQEreportsOfOnpayPT/n3Q5qf3VaY9UCJ1"
CLIENT_KEY = "live_KXYTB6X6PVFYBMIMNHTFQW3LV4QBSMYI"


@dataclass
class Acquirer:
    """`failures` are used up by the next calls that `fails_on` matches, one each, "" for none."""

    books: Books = field(default_factory=Books)
    url: str = ""
    failures: list[str] = field(default_factory=list)
    fails_on: str = ""
    calls: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    """The idempotency keys of the calls."""
    stalls_s: float = 1.5
    meanwhile: Callable[[], object] | None = None
    """Done once after a call has taken effect, before it is answered."""
    elsewhere: list[str] = field(default_factory=list)
    reports: dict[str, bytes] = field(default_factory=dict)
    """Files that the report user can download."""

    def will(self, *failures: str, on: str = "") -> None:
        self.failures, self.fails_on = list(failures), on

    def credentials(self, **other: Any) -> dict[str, Any]:
        """As staff enter them."""
        return {
            "api_key": API_KEY,
            "merchant_account": self.books.merchant_account,
            "client_key": CLIENT_KEY,
            "hmac_key": HMAC_KEY,
            "report_api_key": REPORT_KEY,
            "base_url": self.url,
            "reports_url": self.url,
            "ca_certificates": authority().cert_pem.bytes().decode(),
        } | other


class _Handler(Handler):
    acquirer: Acquirer

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        path, key = re.sub("^/v72", "", self.path), self.headers.get("idempotency-key", "")
        self.acquirer.calls.append(f"{self.command} {path}")
        self.acquirer.keys.append(key)
        failure = ""
        if self.acquirer.failures and re.search(self.acquirer.fails_on, path):
            failure = self.acquirer.failures.pop(0)
        if failure in BEFORE:
            BEFORE[failure](self)
            return
        if path.startswith("/reports/"):
            self.hand_out(path.rpartition("/")[2])
            return
        status, told = self.answer(path, key, body)
        if self.acquirer.meanwhile:
            act, self.acquirer.meanwhile = self.acquirer.meanwhile, None
            act()
        if failure in AFTER:
            AFTER[failure](self)
            return
        if failure == "unknown result":
            told = told | {"resultCode": "InOrbit"}
        self.send(status, json.dumps(told).encode() if status != 204 else b"")

    def answer(self, path: str, key: str, body: bytes) -> tuple[int, dict[str, Any]]:
        if self.path == "/elsewhere":
            self.acquirer.elsewhere.append(self.headers.get("x-api-key", ""))
        if self.headers.get("x-api-key") != API_KEY:
            return error(401, "000", "HTTP Status Response - Unauthorized", "security")
        if path.startswith("/storedPaymentMethods"):
            return self.acquirer.books.vault.answer(self.command, path)
        return self.acquirer.books.answer(path, key, json.loads(body))

    def hand_out(self, name: str) -> None:
        is_user = self.headers.get("x-api-key") == REPORT_KEY
        file = self.acquirer.reports.get(name) if is_user else None
        self.send(404 if file is None else 200, file or b"", "text/csv")

    def stall(self) -> None:
        time.sleep(self.acquirer.stalls_s)
        self.close_connection = True


def _status(status: int, code: str, kind: str = "validation") -> Any:
    return lambda handler: handler.send(status, json.dumps(error(status, code, "No", kind)[1]).encode())


BEFORE: dict[str, Any] = {
    "timeout before": _Handler.stall,
    "500": _status(500, "905", "internal"),
    "503": _status(503, "000", "internal"),
    "422": _status(422, "130"),
    "422 amount": _status(422, "137"),
    "403": _status(403, "010", "security"),
    "401": lambda handler: handler.send(401, b""),
    "422 in progress": _status(422, "704"),
    "422 internal": _status(422, "702", "internal"),
    "404 of a proxy": lambda handler: handler.send(404, b'{"message": "no route"}'),
    "redirect": lambda handler: handler.send(307, b"", location=f"{handler.acquirer.url}/elsewhere"),
}
AFTER: dict[str, Any] = {name: act for name, act in WRONG_ANSWERS.items() if "0" not in name} | {
    "timeout after": _Handler.stall,
    "500 after": BEFORE["500"],
}
REFUSALS = ("401", "403", "422", "422 amount")
"""What is believed as the answer to a first request."""
NEVER_CLEAR = [*AFTER, *(name for name in BEFORE if name not in REFUSALS), "unknown result"]
"""Answers after which nobody knows what became of a request."""
__all__ = ["NEVER_CLEAR", "REFUSALS", "WAITED_FOR", "Acquirer", "open_acquirer", "server_context", "serving"]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Callers that hung up are what tests are about."""


def server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert("localhost").configure_cert(context)
    return context


@contextmanager
def serving(acquirer: Acquirer, *, tls: bool = True) -> Iterator[int]:
    """The port of its server."""
    server = _Server(("127.0.0.1", 0), type("OfOneAcquirer", (_Handler,), {"acquirer": acquirer}))
    if tls:
        server.socket = server_context().wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def open_acquirer() -> Iterator[Acquirer]:
    acquirer = Acquirer()
    with serving(acquirer) as port:
        acquirer.url = f"https://localhost:{port}"
        yield acquirer
