"""A fake bank with API Pix on loopback: mutual TLS, OAuth2, its books, and answers that go wrong when told to."""

import json
import re
import secrets
import ssl
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import trustme

from tests.support.bacen_pix.books import Books, Told, problem

KEY = "7d9f0335-8dcc-4054-9bf9-0dbd61d36906"
ROUTES: list[tuple[str, str, Callable[..., Told]]] = [
    ("PUT", r"/(cobv?)/([^/]+)", Books.put_charge),
    ("GET", r"/(cobv?)/([^/]+)", Books.get_charge),
    ("PATCH", r"/(cobv?)/([^/]+)", Books.patch_charge),
    ("PUT", r"/pix/([^/]+)/devolucao/([^/]+)", Books.put_return),
    ("GET", r"/pix/([^/]+)/devolucao/([^/]+)", Books.get_return),
    ("GET", r"/pix/([^/]+)", Books.get_one_pix),
    ("GET", r"/pix", Books.get_pix),
    ("GET", r"/webhook/([^/]+)", Books.get_webhook),
    ("PUT", r"/webhook/([^/]+)", Books.put_webhook),
]
SCOPES = {f"{what}.{how}" for what in ("cob", "cobv", "pix", "webhook") for how in ("read", "write")}


@cache
def _authority(name: str) -> trustme.CA:
    return trustme.CA(organization_name=name)


def authority(name: str = "of the banks") -> trustme.CA:
    return _authority(name)


@dataclass(frozen=True)
class Papers:
    """A certificate and its key, as PEM."""

    certificate: str
    private_key: str

    @classmethod
    def of(cls, name: str, issuer: str = "of the banks", **options: Any) -> "Papers":
        made = authority(issuer).issue_cert(name, **options)
        return cls(made.cert_chain_pems[0].bytes().decode(), made.private_key_pem.bytes().decode())


@dataclass
class Bank:
    """`failures` are used up by the next calls that `fails_on` matches, one each, "" for none. `calls` are those that
    arrived, tokens as well. `scopes` are what our client may do; asked for more, the bank gives a token for less if it
    `narrows` tokens, else none.
    """

    books: Books
    url: str = ""
    token_url: str = ""
    client_id: str = "onpay"
    client_secret: str = "the-secret-of-onpay"
    customer: str = "onpay.test"
    token_lasts_s: Any = 3600
    failures: list[str] = field(default_factory=list)
    fails_on: str = r"^(?!POST /oauth)"
    calls: list[str] = field(default_factory=list)
    scopes: set[str] = field(default_factory=SCOPES.copy)
    narrows: bool = False
    tokens: dict[str, set[str]] = field(default_factory=dict)
    stalls_s: float = 1.5
    elsewhere: list[str] = field(default_factory=list)
    """Where redirects were followed to."""

    def will(self, *failures: str, on: str = r"^(?!POST /oauth)") -> None:
        self.failures, self.fails_on = list(failures), on

    def failure(self, call: str) -> str:
        return self.failures.pop(0) if self.failures and re.search(self.fails_on, call) else ""

    def answer(self, method: str, target: str, body: bytes, scopes: set[str]) -> Told:
        address = urlsplit(target)
        if f"{address.path.split('/')[1]}.{'read' if method == 'GET' else 'write'}" not in scopes:
            return problem(403, "AcessoNegado")
        for expected, path, act in ROUTES:
            found = re.fullmatch(path, address.path)
            if expected == method and found:
                sent: list[Any] = [json.loads(body)] if body else []
                query = [dict(parse_qsl(address.query))] if address.query else []
                return act(self.books, *map(unquote, found.groups()), *query, *sent)
        return problem(404, "NaoEncontrado")

    def token(self, credentials: str, customer: str, wanted: set[str]) -> Told:
        expected = b64encode(f"{self.client_id}:{self.client_secret}".encode()).decode()
        if credentials != f"Basic {expected}" or customer != self.customer:
            return 401, {"error": "invalid_client"}
        if not (wanted <= self.scopes or self.narrows):
            return 400, {"error": "invalid_scope"}
        token = secrets.token_urlsafe(24)
        self.tokens[token] = wanted & self.scopes
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": self.token_lasts_s}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits 40 ms for the caller's acknowledgment
    bank: Bank

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        call = f"{self.command} {self.path}"
        self.bank.calls.append(call)
        failure = self.bank.failure(call)
        if failure in BEFORE:
            BEFORE[failure](self)
            return
        status, told = self.told(body)
        if failure in AFTER:
            AFTER[failure](self)
            return
        if failure == "unknown status" and told:
            told = told | {"status": "EM_ANALISE"}
        self.send(status, json.dumps(told).encode() if told is not None else b"")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def told(self, body: bytes) -> Told:
        if self.path == "/oauth/token":
            wanted = set(dict(parse_qsl(body.decode()))["scope"].split())
            return self.bank.token(self.headers.get("authorization", ""), self.customer(), wanted)
        if self.path == "/elsewhere":
            self.bank.elsewhere.append(self.headers.get("authorization", ""))
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        if token not in self.bank.tokens:
            return 401, None
        return self.bank.answer(self.command, self.path, body, self.bank.tokens[token])

    def customer(self) -> str:
        """The name in the client's certificate, as trustme writes it."""
        certificate = self.connection.getpeercert() if isinstance(self.connection, ssl.SSLSocket) else None
        return str(certificate["subjectAltName"][0][1]) if certificate else ""

    def send(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body:
            self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stall(self) -> None:
        time.sleep(self.bank.stalls_s)
        self.close_connection = True

    def nothing(self) -> None:
        self.close_connection = True

    def half(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "500")
        self.end_headers()
        self.wfile.write(b'{"status": "CONCLUIDA"')
        self.close_connection = True

    def trickle(self) -> None:
        """A byte from time to time, so that no single read times out."""
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        with suppress(OSError):
            for _ in range(100):
                self.wfile.write(b" ")
                time.sleep(0.05)
        self.close_connection = True

    def huge(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        with suppress(OSError):
            for _ in range(64):
                self.wfile.write(b" " * 65536)
        self.close_connection = True

    def version_string(self) -> str:
        return "fake"

    def log_message(self, *_: object) -> None:
        pass


def _status(status: int, name: str) -> Callable[[Handler], None]:
    return lambda handler: handler.send(status, json.dumps(problem(status, name)[1]).encode())


BEFORE: dict[str, Callable[[Handler], None]] = {
    "timeout before": Handler.stall,
    "500": _status(500, "ErroInternoDoServidor"),
    "503": _status(503, "ServicoIndisponivel"),
    "429": _status(429, "RequisicaoInvalida"),
    "410": _status(410, "PermanentementeRemovido"),
    "403": _status(403, "AcessoNegado"),
    "400": _status(400, "RequisicaoInvalida"),
    "422": _status(422, "RequisicaoInvalida"),
    "404 of another kind": _status(404, "RecursoInexistente"),
    "404 of a proxy": lambda handler: handler.send(404, b'{"message": "no Route matched"}'),
    "401": lambda handler: handler.send(401, b""),
    "redirect": lambda handler: handler.send(307, b"", location=f"{handler.bank.url}/elsewhere"),
}
AFTER: dict[str, Callable[[Handler], None]] = {
    "timeout after": Handler.stall,
    "500 after": BEFORE["500"],
    "403 after": BEFORE["403"],
    "400 after": BEFORE["400"],
    "HTML": lambda handler: handler.send(200, b"<html>ok</html>", "text/html"),
    "no JSON": lambda handler: handler.send(200, b"ok"),
    "a list": lambda handler: handler.send(200, b"[]"),
    "another form": lambda handler: handler.send(200, b'{"status": "CONCLUIDA"}'),
    "no body": lambda handler: handler.send(200, b""),
    "nothing": Handler.nothing,
    "half a body": Handler.half,
    "trickle": Handler.trickle,
    "huge body": Handler.huge,
}
WAITED_FOR = ("timeout before", "timeout after", "trickle")
"""Failures that only the caller's deadline ends."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Broken handshakes and callers that hung up are what tests are about."""


@contextmanager
def serving(bank: Bank, *, tls: bool = True) -> Iterator[int]:
    """The port of a server of the bank."""
    server = _Server(("127.0.0.1", 0), type("OfOneBank", (Handler,), {"bank": bank}))
    if tls:
        server.socket = server_context().wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def server_context(name: str = "localhost") -> ssl.SSLContext:
    """Mutual TLS: who calls must have a certificate of the banks' authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert(name).configure_cert(context)
    authority().configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


@contextmanager
def open_bank() -> Iterator[Bank]:
    bank = Bank(Books(KEY))
    with serving(bank) as port:
        bank.url = f"https://localhost:{port}"
        bank.token_url = f"{bank.url}/oauth/token"
        yield bank
