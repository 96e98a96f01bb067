"""Callbacks of a bank: who sent them, what they say, and where they go."""

import json
from typing import Any

import pytest

from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentResult, Rail
from gateway.providers.bacen_pix.provider import BacenPixProvider
from gateway.providers.errors import NotConnected, Unclear, Unreadable
from gateway.providers.provider import Message
from tests.support.bacen_pix.bank import Bank

ULID = "01KAGTW3Q8XJ5V0N2B7R4C0001"


def message(body: Any, certificate: str | None = "ab" * 32) -> Message:
    return Message("pix", {}, body if isinstance(body, bytes) else json.dumps(body).encode(), certificate)


@pytest.mark.parametrize(
    ("certificate", "known"), [("ab" * 32, True), ("cd" * 32, False), ("AB" * 32, False), ("", False), (None, False)]
)
def test_only_the_banks_certificate_is_believed(
    provider: BacenPixProvider, certificate: str | None, known: bool
) -> None:
    assert provider.verify(message({"pix": []}, certificate)) is known


def test_without_fingerprints_nobody_is_believed(connect: Any) -> None:
    provider = connect(callback_fingerprints="")
    assert not any(provider.verify(message({"pix": []}, one)) for one in ("", "ab" * 32, None))


def test_a_callback_tells_of_payments_and_of_returns_that_may_be_ours(
    bank: Bank, provider: BacenPixProvider, rail: Rail, order: PaymentOrder
) -> None:
    rail.instruct(order)
    txid = order.payment_id.removeprefix("pay_")
    money = bank.books.pay(txid, "99.00")
    bank.books.settle(money, ULID, "DEVOLVIDO", valor="1.00")
    bank.books.settle(money, "02KAGTW3Q8XJ5V0N2B7R4C0001", "NAO_REALIZADO", valor="1.00")
    bank.books.settle(money, f"sus{ULID}", "DEVOLVIDO", valor="1.00")
    bank.books.settle(money, "MED1", "DEVOLVIDO", natureza="MED_FRAUDE", valor="98.00")
    strange = bank.books.pay("cd1fe328c875481285a6f233ae41b662", "5.00")
    bare = bank.books.pay(None, "6.00")

    notices = provider.read(message(bank.books.callback(money, strange, bare)))

    assert [(one.object_id, one.about, one.told) for one in notices] == [
        (order.payment_id, PaymentAction.PAY, PaymentResult.DONE),
        (f"ref_{ULID}", PaymentAction.REFUND, PaymentResult.DONE),
        ("ref_02KAGTW3Q8XJ5V0N2B7R4C0001", PaymentAction.REFUND, PaymentResult.DECLINED),
        (f"sus_{ULID}", PaymentAction.REFUND, PaymentResult.DONE),
        (f"money_{money}", PaymentAction.REFUND, None),
    ]
    details = notices[0].details
    assert (details["pixEndToEndId"], details["amount"], details["currency"]) == (money, "99.00", "BRL")
    assert [(one["nature"], one["amount"]) for one in details["returns"]][3] == ("MED_FRAUDE", "98.00")
    assert json.loads(json.dumps(details)) == details


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"<html></html>",
        b'{"pix": [], "pix": []}',
        {},
        {"pix": None},
        {"pix": {}},
        {"pix": [None]},
        {"pix": [{"txid": ULID}]},
        {"pix": [{"endToEndId": "E1", "valor": "1.00", "horario": "2026-11-22T12:00:00Z"}]},
        {"pix": [{"endToEndId": "E" * 32, "valor": "1", "horario": "2026-11-22T12:00:00Z"}]},
        {"pix": [{"endToEndId": "E" * 32, "valor": 1.5, "horario": "2026-11-22T12:00:00Z"}]},
        {"pix": [{"endToEndId": "E" * 32, "valor": "-1.00", "horario": "2026-11-22T12:00:00Z"}]},
        {"pix": [{"endToEndId": "E" * 32, "valor": "1.00", "horario": "2026-11-22T12:00:00"}]},
        b"[" * 100_000,
    ],
)
def test_anything_else_is_unreadable(provider: BacenPixProvider, body: Any) -> None:
    with pytest.raises(Unreadable):
        provider.read(message(body))


def test_an_address_for_callbacks_is_registered_for_our_key(bank: Bank, provider: BacenPixProvider) -> None:
    provider.check()
    provider.register_webhook("https://api.onpay.example/callbacks/pac_1")

    assert bank.books.webhook_url == "https://api.onpay.example/callbacks/pac_1"
    provider.check()


def test_an_address_that_the_bank_refuses_is_an_error(bank: Bank, provider: BacenPixProvider) -> None:
    with pytest.raises(Unclear, match="HTTP 400 WebhookOperacaoInvalida"):
        provider.register_webhook("http://api.onpay.example/callbacks/pac_1")
    assert bank.books.webhook_url is None


def test_an_account_without_the_permission_is_not_connected(bank: Bank, provider: BacenPixProvider) -> None:
    bank.will("403")
    with pytest.raises(NotConnected, match="AcessoNegado"):
        provider.check()
