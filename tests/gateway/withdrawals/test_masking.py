"""Nobody reads where money went but the rail: not in an answer, an event, a log, nor a row."""

import json
import logging
import uuid
from typing import Any

import pytest
from django.apps import apps

from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.effort import tries
from tests.support.withdrawals import (
    ARS,
    BTC,
    COP,
    FIAT,
    PIX,
    SPEI,
    USDT,
    Rail,
    ask,
    body,
    decide,
    fund,
    register,
    send,
    wait,
)
from webhooks.models import Event

SECRETS: list[tuple[Rail, dict[str, str], str]] = [
    (PIX, {"pixKey": "financeiro@lojaexemplo.com.br", "pixKeyType": "EMAIL"}, "financeiro@lojaexemplo.com.br"),
    (PIX, {"pixKey": "39053344705", "pixKeyType": "CPF"}, "39053344705"),
    (PIX, {"pixKey": "12ABC34501DE35", "pixKeyType": "CNPJ"}, "12ABC34501DE35"),
    (PIX, {"pixKey": "+5511987654321", "pixKeyType": "PHONE"}, "11987654321"),
    (PIX, {"pixKey": "123e4567-e89b-42d3-a456-426614174000", "pixKeyType": "EVP"}, "123e4567-e89b-42d3-a456"),
    (SPEI, {}, "032180000118359719"),
    (ARS, {}, "2850590940090418135201"),
    (ARS, {"cbu": "", "cvu": "0000999100000000001232"}, "0000999100000000001232"),
    (ARS, {"cbu": "", "alias": "ana.gomez.caja"}, "ana.gomez.caja"),
    (COP, {}, "12345678901"),
    (COP, {"documentNumber": "1032999888"}, "1032999888"),
    (USDT, {}, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
    (BTC, {}, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
]

AMOUNTS = (904, 5000, 4903)
"""One fails, one waits and one is completed by itself; each run takes one of them for each account, nights take all."""
CASES = [
    (*secret, amount)
    for first, secret in enumerate(SECRETS)
    for amount in (AMOUNTS[(first + turn) % len(AMOUNTS)] for turn in range(tries(1, len(AMOUNTS))))
]


def rows() -> str:
    """Every text in every table, except what is sealed."""
    return json.dumps(
        [list(model._default_manager.values()) for model in apps.get_models() if model._meta.managed],
        default=lambda value: bytes(value).decode("latin-1") if isinstance(value, memoryview | bytes) else str(value),
    )


@pytest.mark.parametrize(("rail", "members", "secret", "amount"), CASES, ids=lambda one: str(one)[:48])
def test_a_destination_is_masked_wherever_it_could_be_read(
    api: Api,
    acme: Shop,
    address: str,
    rail: Rail,
    members: dict[str, str],
    secret: str,
    amount: int,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    register(acme, address)
    fund(api, rail[1] if rail in FIAT else "BRL")
    amount += 4_000 if amount == 904 and rail == COP else 0
    named: dict[str, Any] = {name: value or None for name, value in members.items()}
    asked = body(acme, rail, amount=amount, minimumAssetAmount=None, **named)
    key = str(uuid.uuid4())

    read = [
        send(api, rail, asked, dry=True),
        send(api, rail, asked, key=key),
        send(api, rail, asked, key=key),
        send(api, rail, asked | {"amount": 1}, key=key),
        ask(api, acme, rail, **named | {"amount": -1}),
        ask(api, acme, rail, **named | {"amount": 10**11}),
    ]
    assert [answer.status_code for answer in read[:3]] == [200, 201, 201]
    made = read[1].json()["data"]
    read.append(api.get(f"/withdrawals/{made['id']}"))
    wait(api, 20)
    if amount % 1000 == 904:
        read.append(decide(api, made, "FAILED"))
    path = f"/companies/{acme.company.id}"
    currency = made["currency"]
    read += [api.get("/withdrawals"), api.get(f"{path}/statement", currency=currency)]
    read += [api.get(f"{path}/balances/blocked"), api.get(f"{path}/balance/explain", currency=currency)]

    text = "".join(answer.content.decode() for answer in read)
    events = "".join(bytes(event.body).decode() for event in Event.objects.all())
    logged = caplog.text + "".join(capfd.readouterr())
    assert "withdrawal." in events
    assert made["id"] in events
    assert "/withdrawals/" in logged
    for place in (text, events, logged, rows()):
        assert secret not in place


@pytest.mark.parametrize(("rail", "members", "secret"), SECRETS[:1] + SECRETS[5:7])
def test_what_is_wrong_with_a_destination_is_told_without_it(
    api: Api,
    acme: Shop,
    address: str,
    rail: Rail,
    members: dict[str, str],
    secret: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    register(acme, address)
    wrong = secret + "7"
    member = {PIX: "pixKey", SPEI: "clabe", ARS: "cbu"}[rail]

    answers = [send(api, rail, body(acme, rail, **{member: wrong + "@@"}), dry=dry) for dry in (False, True)]

    assert [answer.status_code for answer in answers] == [400, 200]
    assert secret not in "".join(answer.content.decode() for answer in answers)
    assert secret not in "".join(capfd.readouterr())
