"""A card number is nowhere after it was typed: not in PostgreSQL's files, its log of changes, Valkey, logs or temp."""

import json
import os
import re
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psycopg

from gateway.methods.card.sandbox_cards import TEST_CARDS
from tests.support.network import free_port
from tests.support.service import Service

CVC = "739"
OTHERS = ("5555555555554444", "378282246310005", "6011000990139424", "30569309025904")
"""Numbers that the sandbox refuses: they must not stay either."""
NUMBERS = (*(card.number for card in TEST_CARDS), *OTHERS)
_SPOKEN = re.compile(rb"(?i)(?:cvc|cvv|security.?code)[\"':= ]{1,5}[\"']?" + CVC.encode())


def typed(service: Service, number: str) -> str:
    """Pays with a card as a browser does, and answers a challenge; returns the payment's status."""
    order = {
        "method": "CREDIT_CARD", "amount": 50, "currency": "BRL", "reference": str(uuid.uuid4()),
        "payer": {"name": "Maria Silva", "taxId": "52998224725"}, "returnUrl": "http://localhost:9000/",
    }  # fmt: skip
    created = service.insist("/api/v2/payments", order, str(uuid.uuid4()))[1]["data"]
    secret = created["nextAction"]["clientSecret"]
    card = {"number": number, "expMonth": 12, "expYear": 2040, "cvc": CVC if number[:2] != "37" else f"{CVC}1"}
    token = asked(service, "/sdk/v1/tokens", secret, card)["cardToken"]
    confirmed = asked(service, "/sdk/v1/confirm", secret, {"cardToken": token})
    if challenge := confirmed.get("threeDs"):
        address = challenge["challengeUrl"].partition(f":{service.port}")[2]
        post(service, address, "decision=approve", {"content-type": "application/x-www-form-urlencoded"})
    found = service.call("GET", f"/api/v2/payments/{created['id']}")[1]["data"]
    return str(found["status"])


def asked(service: Service, path: str, secret: str, body: Any) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {secret}", "content-type": "application/json"}
    return json.loads(post(service, path, json.dumps(body), headers))  # type: ignore[no-any-return]


def post(service: Service, path: str, body: str, headers: dict[str, str]) -> bytes:
    return answer(service, service.port, path, body, headers)[1]


def answer(service: Service, port: int, path: str, body: str, headers: dict[str, str]) -> tuple[int, bytes]:
    """On the origin of the SDK: the address of the service, also where another process answers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=15)
    try:
        connection.request("POST", path, body, {"host": f"127.0.0.1:{service.port}"} | headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def ask(service: Service, port: int, path: str, number: str = "") -> int:
    """The status of a call of the SDK without a secret."""
    card = json.dumps({"number": number, "expMonth": 12, "expYear": 2040, "cvc": CVC})
    return answer(service, port, f"/sdk/v1/{path}", card, {"content-type": "application/json"})[0]


def files(service: Service, since: float) -> Iterator[Path]:
    """Everything the service keeps, and every temporary file that is newer."""
    for folder, _, names in os.walk(service.home, followlinks=True):
        yield from (path for name in names if (path := Path(folder, name)).is_file())
    for path in Path(tempfile.gettempdir()).iterdir():
        if path.is_file() and path.stat().st_mtime > since and path != service.home:
            yield path


def found(service: Service, since: float) -> Iterator[str]:
    """Where a number is, however it is grouped, or the security code beside its name."""
    with psycopg.connect(service.admin_url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")  # what is only in memory goes to disk
    for path in files(service, since):
        content = path.read_bytes()
        digits = content.translate(None, b" -")
        if any(number.encode() in digits for number in NUMBERS) or _SPOKEN.search(content):
            yield path.name


def in_memory(pids: list[int]) -> set[str]:
    """The numbers that these processes have in their memory, however they are grouped."""
    return {number for number in OTHERS for pid in pids if holds(pid, number)}


def holds(pid: int, number: str) -> bool:
    wanted = re.compile(b"[ -]?".join(bytes([digit]) for digit in number.encode()))
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            where, rights, *_ = line.split()
            start, end = (int(one, 16) for one in where.split("-"))
            if rights.startswith("rw"):
                with suppress(OSError, ValueError, OverflowError):
                    memory.seek(start)
                    if wanted.search(memory.read(end - start)):
                        return True
    return False


def test_production_alone_has_no_number_that_was_typed_in_the_sandbox_and_no_door_for_one(service: Service) -> None:
    since, port = service.home.stat().st_mtime, free_port()
    with service.beside(port, ONPAY_ENVIRONMENTS="production") as production:
        ended = {typed(service, number) for number in OTHERS}
        refused = {path: ask(service, port, path) for path in ("session", "confirm", "fields/pay_1/cardNumber")}

        assert ended == {"FAILED"}
        assert refused == {"session": 405, "confirm": 401, "fields/pay_1/cardNumber": 404}
        assert in_memory(production) == set()
        assert in_memory(service.pids("web")) != set(), "the scan can find one"
        assert [ask(service, port, "tokens", number) for number in OTHERS] == [404] * len(OTHERS)
    assert list(found(service, since)) == []


def test_no_number_is_anywhere_after_every_card_was_typed(service: Service) -> None:
    since = service.home.stat().st_mtime

    ended = [typed(service, number) for number in NUMBERS]

    assert ended[:8] == ["PAID", "PAID", "FAILED", "FAILED", "FAILED", "FAILED", "FAILED", "PENDING"]
    assert set(ended[8:]) == {"FAILED"}
    assert list(found(service, since)) == []

    with psycopg.connect(service.admin_url, autocommit=True) as connection:  # the scan can find one
        connection.execute("CREATE TABLE planted AS SELECT %s AS text", [f"4000 0000 0000 {3220:04}"])
        try:
            assert any(found(service, since))
        finally:
            connection.execute("DROP TABLE planted")  # the owner of the tables may grant nothing of it
