"""Stripe by somebody else: localstripe as a process of its own, and in front of it TLS and what goes wrong."""

import json
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.support.bacen_pix.bank import AFTER as WRONG_ANSWERS
from tests.support.bacen_pix.bank import WAITED_FOR, Handler, authority
from tests.support.stripe.balance import Balance
from tests.support.stripe.disputes import Desk
from tests.support.stripe.vault import Vault

SECRET_KEY, PUBLISHABLE_KEY = "sk_live_51OnpayTestsOnly", "pk_live_51OnpayTestsOnly"
SIGNING_SECRET = "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH"
APPROVED, REFUSED, CHALLENGE = "4242424242424242", "4000000000000341", "4000002500003155"
_START = """
import pickle
import sys
from aiohttp import web
from localstripe.resources import store
from localstripe.server import app

port, file = sys.argv[1:]
def dump_to_disk():
    if file:
        with open(file, "wb") as whole:
            pickle.dump(store, whole, protocol=pickle.HIGHEST_PROTOCOL)
store.dump_to_disk = dump_to_disk
web.run_app(app, host="127.0.0.1", port=int(port), print=None)
"""
"""On loopback alone. All of its rows are written to a file by every write, which is one for all processes of a machine:
here it is a file of its own, or none.
"""


REQUEST = "invalid_request_error"
OF_REQUESTS = ("payment_intent_authentication_failure",)
"""Codes that Stripe gives to errors of requests, although it is the card that was refused."""


@dataclass
class StandIn:
    """`failures` are used up by the next calls that `fails_on` matches, one each, "" for none."""

    port: int
    url: str = ""
    failures: list[str] = field(default_factory=list)
    fails_on: str = ""
    calls: list[str] = field(default_factory=list)
    funding: str = "credit"
    """Of all cards: localstripe knows credit cards only."""
    refusal: str = "card_declined"
    """The code of every refused card: localstripe has one only."""
    answers: dict[str, tuple[int, str, bytes]] = field(default_factory=dict)
    """By idempotency key, which localstripe does not know."""
    disputes: Desk = field(default_factory=Desk)
    stalls_s: float = 1.5
    elsewhere: list[str] = field(default_factory=list)
    vault: Vault = field(default_factory=Vault)
    balance: Balance = field(default_factory=Balance)
    """localstripe has neither balance transactions nor payouts."""

    def will(self, *failures: str, on: str = "") -> None:
        self.failures, self.fails_on = list(failures), on

    def credentials(self, **other: Any) -> dict[str, Any]:
        """As staff enter them."""
        return {
            "secret_key": SECRET_KEY,
            "publishable_key": PUBLISHABLE_KEY,
            "signing_secret": SIGNING_SECRET,
            "base_url": self.url,
            "ca_certificates": authority().cert_pem.bytes().decode(),
        } | other

    def call(self, method: str, path: str, **form: Any) -> Any:
        """What others do at localstripe."""
        status, _, body = self.forward(method, path, urlencode(form).encode(), {})
        assert status < 300, body
        return json.loads(body or b"{}")

    def forward(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        sent = {"Authorization": f"Bearer {SECRET_KEY}", "Content-Type": "application/x-www-form-urlencoded"}
        connection.request(method, path, body, {**sent, **headers})
        answer = connection.getresponse()
        told = answer.status, answer.headers.get("content-type", ""), answer.read()
        connection.close()
        return told

    def confirm(self, intent: str, number: str = APPROVED) -> str:
        """The payer types a card into the fields of Stripe and confirms. Its payment method."""
        card = {"card[number]": number, "card[exp_month]": 12, "card[exp_year]": 2040, "card[cvc]": "123"}
        method = self.call("POST", "/v1/payment_methods", type="card", **card)["id"]
        told = self.call("POST", f"/v1/payment_intents/{intent}", payment_method=method)
        if intent in self.vault.saved:
            self.call("POST", f"/v1/payment_methods/{method}/attach", customer=told["customer"])
        self.forward("POST", f"/v1/payment_intents/{intent}/confirm", b"", {})
        return str(method)

    def as_played(self, told: bytes) -> bytes:
        """With what localstripe does not know: the kind of a card, and why something was refused."""
        played = {"funding": ("credit", self.funding), "code": ("card_declined", self.refusal)}
        for name, (theirs, ours) in played.items():
            told = told.replace(f'"{name}": "{theirs}"'.encode(), f'"{name}": "{ours}"'.encode())
        if (code := self.refusal) in OF_REQUESTS:
            told = told.replace(f'"code": "{code}"'.encode(), f'"code": "{code}", "type": "{REQUEST}"'.encode())
        # Stripe gives every object that it does not know this code, localstripe none.
        return told.replace(b'"message": "Not Found"', b'"code": "resource_missing", "message": "Not Found"')

    def send_webhooks_to(self, url: str) -> None:
        self.call("POST", "/_config/webhooks/onpay", url=url, secret=SIGNING_SECRET)


class _Front(Handler):
    stand_in: StandIn

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        call = f"{self.command} {self.path.partition('?')[0].removeprefix('/v1')}"
        self.stand_in.calls.append(call)
        failure = ""
        if self.stand_in.failures and re.search(self.stand_in.fails_on, call):
            failure = self.stand_in.failures.pop(0)
        if failure in BEFORE:
            BEFORE[failure](self)
            return
        status, kind, told = self.answer(body)
        if failure in AFTER:
            AFTER[failure](self)
            return
        self.send(status, self.stand_in.as_played(told), kind)

    def answer(self, body: bytes) -> tuple[int, str, bytes]:
        if self.path == "/elsewhere":
            self.stand_in.elsewhere.append(self.headers.get("authorization", ""))
        if told := self.stand_in.balance.answer(self.path):
            return 200, "application/json", json.dumps(told).encode()
        key = self.headers.get("idempotency-key", "")
        known = self.stand_in.answers.get(key)
        if known is None and self.stand_in.disputes.has(self.path):
            known = self.stand_in.disputes.answer(self.command, self.path, self.headers, body)
            if key:
                self.stand_in.answers[key] = known
        elif known is None:
            authorization = {"Authorization": self.headers.get("authorization", "")}
            known = self.stand_in.vault.answer(self.stand_in.forward, self.command, self.path, body, authorization)
            if key:
                self.stand_in.answers[key] = known
        return known

    def stall(self) -> None:
        time.sleep(self.stand_in.stalls_s)
        self.close_connection = True


def _error(status: int, kind: str, code: str = "") -> Any:
    body = json.dumps({"error": {"type": kind, "code": code or None, "message": "No."}}).encode()
    return lambda handler: handler.send(status, body)


BEFORE: dict[str, Any] = {
    "timeout before": _Front.stall,
    "500": _error(500, "api_error"),
    "409": _error(409, "invalid_request_error", "lock_timeout"),
    "400 of another request": _error(400, "idempotency_error"),
    "401": _error(401, "invalid_request_error"),
    "403": _error(403, "invalid_request_error"),
    "429": _error(429, "invalid_request_error", "rate_limit"),
    "400": _error(400, "invalid_request_error", "parameter_invalid_integer"),
    "too small": _error(400, "invalid_request_error", "amount_too_small"),
    "404 of a proxy": lambda handler: handler.send(404, b"<html>", "text/html"),
    "redirect": lambda handler: handler.send(307, b"", location=f"{handler.stand_in.url}/elsewhere"),
}
AFTER: dict[str, Any] = {name: act for name, act in WRONG_ANSWERS.items() if "0" not in name} | {
    "timeout after": _Front.stall,
    "500 after": BEFORE["500"],
}
NOT_STARTED, REFUSALS = ("401", "403", "429"), ("400", "too small")
NEVER_CLEAR = [*AFTER, *(name for name in BEFORE if name not in (*NOT_STARTED, *REFUSALS))]
"""Answers after which nobody knows what became of a request."""
__all__ = ["NEVER_CLEAR", "WAITED_FOR"]


@contextmanager
def localstripe(file: Path | None = None) -> Iterator[int]:
    """The port of its process, which keeps its rows in this file, or in memory only."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "-c", _START, str(port), str(file or "")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            assert process.poll() is None, "localstripe has ended"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(10)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Callers that hung up are what tests are about."""


@contextmanager
def in_front_of(port: int, *, tls: bool = True) -> Iterator[StandIn]:
    """TLS, unless told otherwise, in front of a localstripe."""
    stand_in = StandIn(port)
    server = _Server(("127.0.0.1", 0), type("OfOneStandIn", (_Front,), {"stand_in": stand_in}))
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority().issue_cert("localhost").configure_cert(context)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    stand_in.url = f"https://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()
