"""A card number is nowhere after it was typed: not in PostgreSQL's files, its log of changes, Valkey, logs or temp."""

import json
import os
import re
import tempfile
import uuid
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psycopg

from gateway.methods.card.sandbox_cards import TEST_CARDS
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
    """On the origin of the SDK: the address of the same service."""
    connection = HTTPConnection("127.0.0.1", service.port, timeout=15)
    try:
        connection.request("POST", path, body, {"host": f"127.0.0.1:{service.port}"} | headers)
        return connection.getresponse().read()
    finally:
        connection.close()


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


def test_no_number_is_anywhere_after_every_card_was_typed(service: Service) -> None:
    since = service.home.stat().st_mtime

    ended = [typed(service, number) for number in NUMBERS]

    assert ended[:8] == ["PAID", "PAID", "FAILED", "FAILED", "FAILED", "FAILED", "FAILED", "PENDING"]
    assert set(ended[8:]) == {"FAILED"}
    assert list(found(service, since)) == []

    with psycopg.connect(service.admin_url, autocommit=True) as connection:  # the scan can find one
        connection.execute("CREATE TABLE planted AS SELECT %s AS text", [f"4000 0000 0000 {3220:04}"])
    assert any(found(service, since))
