"""STP on loopback with TLS: verifies each signature, answers from its books, and goes wrong when told to."""

import json
import re
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import ThreadingHTTPServer
from itertools import count
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from defusedxml.ElementTree import fromstring

from accounts.base.wire import dumps, loads
from gateway.providers.stp.signing import original_string
from tests.support.adyen.acquirer import server_context
from tests.support.bacen_pix.bank import AFTER as WRONG_ANSWERS
from tests.support.bacen_pix.bank import WAITED_FOR, Handler, authority
from tests.support.stp.books import EMPRESA, OWN, PREFIX, Books, error

PASSPHRASE, ADDRESS = "12345678", "203.0.113.80"
ARRIVES, IS_DONE, IS_ANSWERED = "arrives", "is done", "is answered"
ORDERS, BALANCES = "/speiws/rest/ordenPago", "/spei/webservices/SpeiConsultaServices"
_XML = """<?xml version='1.0' encoding='UTF-8'?>
<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>{}</S:Body></S:Envelope>"""
_BALANCE = """<n:consultaSaldoCuentaResponse xmlns:n="http://h2h.integration.spei.enlacefi.lgec.com/"><return>
<cargosPendientes>0.00</cargosPendientes><saldo>{}</saldo></return></n:consultaSaldoCuentaResponse>"""
_FAULT = "<S:Fault><faultcode>S:Server</faultcode><faultstring>Cuenta - No encontrada</faultstring></S:Fault>"

_numbers = count(1)


@cache
def private_key() -> RSAPrivateKey:
    return generate_private_key(65537, 1024)


@cache
def pem() -> str:
    encryption = BestAvailableEncryption(PASSPHRASE.encode())
    return private_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()


@dataclass
class Stp:
    """`failures` are used up by the next calls that `fails_on` matches, one each, "" for none."""

    books: Books = field(default_factory=Books)
    url: str = ""
    root: str = field(default_factory=lambda: f"/{next(_numbers)}")
    """Of this one alone, also where another one had its port a moment ago: lists are remembered by the address."""
    failures: list[str] = field(default_factory=list)
    fails_on: str = ""
    calls: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    on_call: Callable[[str, str], object] = field(default=lambda point, path: None)
    """Told that a call of a path ARRIVES, IS_DONE and IS_ANSWERED."""
    stalls_s: float = 1.5

    def will(self, *failures: str, on: str = "") -> None:
        self.failures, self.fails_on = list(failures), on

    def credentials(self, **other: Any) -> dict[str, Any]:
        """As staff enter them."""
        return {
            "environment": "production",
            "empresa": EMPRESA,
            "holder": "Onpay México",
            "tax_id": "OPM200101AB0",
            "clabe": OWN,
            "clabe_prefix": PREFIX,
            "private_key": pem(),
            "passphrase": PASSPHRASE,
            "callback_addresses": ADDRESS,
            "base_url": self.url,
            "ca_certificates": authority().cert_pem.bytes().decode(),
        } | other

    def answer(self, method: str, path: str, body: bytes) -> dict[str, Any] | None:
        """None: there is no such address."""
        asked = loads(body)
        self.bodies.append(asked)
        if not _is_signed(original_string(_signed(asked)), asked.get("firma", "")) or asked.get("empresa") != EMPRESA:
            return {"resultado": {"descripcionError": "Error validando la firma", "id": 0}}
        day = asked.get("fechaOperacion")
        if (method, path) == ("PUT", "/registra"):
            return self.books.register(asked)
        if (method, path) == ("POST", "/consOrdEnvRastreo"):
            return self.books.find(asked["claveRastreo"], day)
        return self.books.listed(day, asked["estado"]) if (method, path) == ("POST", "/consOrdenesFech") else None

    def balance(self, body: bytes) -> tuple[int, bytes]:
        asked = fromstring(body)
        account, firma = asked.findtext(".//cuenta") or "", asked.findtext(".//firma") or ""
        is_ours = account == OWN and _is_signed(account, firma)
        told = _BALANCE.format(self.books.balance) if is_ours else _FAULT
        return (200 if is_ours else 500), _XML.format(told).encode()


def _signed(asked: dict[str, Any]) -> dict[str, Any]:
    return asked | ({"monto": f"{asked['monto']:.2f}"} if "monto" in asked else {})


def _is_signed(text: str, firma: str) -> bool:
    try:
        private_key().public_key().verify(b64decode(firma), text.encode(), PKCS1v15(), SHA256())
    except InvalidSignature:
        return False
    return True


class _Handler(Handler):
    stp: Stp

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        asked = self.path.removeprefix(self.stp.root)
        path = asked.removeprefix(ORDERS)
        self.stp.calls.append(f"{self.command} {path}")
        self.stp.on_call(ARRIVES, path)
        failure = ""
        if self.stp.failures and re.search(self.stp.fails_on, path):
            failure = self.stp.failures.pop(0)
        if failure in BEFORE:
            BEFORE[failure](self)
            return
        if asked == BALANCES:
            status, told = self.stp.balance(body)
            AFTER[failure](self) if failure else self.send(status, told, "text/xml")
            return
        answered = self.stp.answer(self.command, path, body)
        self.stp.on_call(IS_DONE, path)
        if failure:
            AFTER[failure](self)
        else:
            self.send(404 if answered is None else 200, dumps(answered or {}))
            self.stp.on_call(IS_ANSWERED, path)

    def stall(self) -> None:
        time.sleep(self.stp.stalls_s)
        self.close_connection = True


def _refuses(number: int) -> Any:
    return lambda handler: handler.send(200, json.dumps(error(number)).encode())


BEFORE: dict[str, Any] = {
    "timeout before": _Handler.stall,
    "500": lambda handler: handler.send(500, b'{"error": "x"}'),
    "503": lambda handler: handler.send(503, b"<html>", "text/html"),
    "401": lambda handler: handler.send(401, b""),
    "403 of a proxy": lambda handler: handler.send(403, b"<html>", "text/html"),
    "404 of a proxy": lambda handler: handler.send(404, b'{"message": "no route"}'),
    "no answer of the service": _refuses(0),
    "redirect": lambda handler: handler.send(307, b"", location=f"{handler.stp.url}/elsewhere"),
}
AFTER: dict[str, Any] = {name: act for name, act in WRONG_ANSWERS.items() if "0" not in name} | {
    "timeout after": _Handler.stall,
    "500 after": BEFORE["500"],
    "no answer after": BEFORE["no answer of the service"],
}
NEVER_CLEAR = [*BEFORE, *AFTER]
"""Answers after which nobody knows what became of an order."""
__all__ = ["NEVER_CLEAR", "WAITED_FOR", "Stp", "open_stp"]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Callers that hung up are what tests are about."""


@contextmanager
def open_stp() -> Iterator[Stp]:
    stp = Stp()
    server = _Server(("127.0.0.1", 0), type("OfOneStp", (_Handler,), {"stp": stp}))
    server.socket = server_context().wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    stp.url = f"https://localhost:{server.server_port}{stp.root}"
    try:
        yield stp
    finally:
        server.shutdown()
        server.server_close()
