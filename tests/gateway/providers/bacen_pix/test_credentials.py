"""Wrong, expired or swapped credentials and certificates: nothing is sent, and no secret is told."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from gateway.methods.rail import PaymentOrder
from gateway.providers.bacen_pix.provider import BacenPixCredentials, BacenPixProvider
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import CallFailed, NotConnected, NotSent
from tests.support.bacen_pix.bank import Bank, Papers, authority

Connect = Callable[..., BacenPixProvider]


def nothing_is_sent(bank: Bank, provider: BacenPixProvider, order: PaymentOrder) -> str:
    with pytest.raises(NotSent) as failed:
        provider.rails()[0].instruct(order)
    with pytest.raises(NotConnected):
        provider.check()
    assert bank.books.charges == {}
    assert set(bank.calls) <= {"POST /oauth/token"}
    return failed.value.reason


@pytest.mark.parametrize("wrong", [{"client_id": "other"}, {"client_secret": "guessed"}])
def test_a_wrong_secret_gets_no_token(bank: Bank, connect: Connect, order: PaymentOrder, wrong: Any) -> None:
    assert nothing_is_sent(bank, connect(**wrong), order) == "no access token: invalid_client"


@pytest.mark.parametrize(
    "papers",
    [
        Papers.of("another-company.test"),
        Papers.of("onpay.test", issuer="of somebody else"),
        Papers.of("onpay.test", not_before=datetime(2020, 1, 1), not_after=datetime(2021, 1, 1)),
    ],
    ids=["of another company", "of another authority", "expired"],
)
def test_a_certificate_that_is_not_ours_gets_no_token(
    bank: Bank, connect: Connect, order: PaymentOrder, papers: Papers
) -> None:
    provider = connect(certificate=papers.certificate, private_key=papers.private_key)
    assert "no access token" in nothing_is_sent(bank, provider, order)


def test_the_key_of_another_certificate_cannot_be_used(bank: Bank, connect: Connect, order: PaymentOrder) -> None:
    reason = nothing_is_sent(bank, connect(private_key=Papers.of("onpay.test").private_key), order)
    assert reason == "no access token: certificate or private key cannot be used: SSLError"
    assert bank.calls == []


def test_a_server_of_another_authority_is_told_nothing(bank: Bank, connect: Connect, order: PaymentOrder) -> None:
    other = authority("of somebody else").cert_pem.bytes().decode()
    assert "certificate verify failed" in nothing_is_sent(bank, connect(ca_certificates=other), order)
    assert "certificate verify failed" in nothing_is_sent(bank, connect(ca_certificates=None), order)
    assert bank.calls == []


def test_a_server_of_another_name_is_told_nothing(bank: Bank, connect: Connect, order: PaymentOrder) -> None:
    there = bank.url.replace("localhost", "127.0.0.1")
    reason = nothing_is_sent(bank, connect(base_url=there, token_url=f"{there}/oauth/token"), order)
    assert "certificate verify failed" in reason
    assert bank.calls == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "http://bank.example/api"},
        {"base_url": "https://user:secret@bank.example/api"},
        {"base_url": "https://bank.example/api?x=1"},
        {"base_url": "https://bank.example/{x}"},
        {"base_url": "https://bank.example:99999/api"},
        {"base_url": "https:///api"},
        {"base_url": "https://[::1/api"},
        {"token_url": "ftp://bank.example"},
        {"certificate": "nonsense"},
        {"private_key": "nonsense"},
        {"ca_certificates": "nonsense"},
        {"pix_key": "52998224726"},
        {"pix_key": ""},
        {"callback_fingerprints": "ab:cd"},
        {"unknown": "member"},
    ],
)
def test_credentials_of_another_form_are_refused_without_repeating_them(
    entered: dict[str, Any], wrong: dict[str, str]
) -> None:
    with pytest.raises(ValidationError) as refused:
        BacenPixCredentials.model_validate(entered | wrong)
    assert entered["client_secret"] not in str(refused.value)


def test_what_pages_show_of_an_account_has_no_secret(entered: dict[str, Any], papers: Papers) -> None:
    sealed = sealed_of(BacenPixProvider, entered)
    shown = json.dumps(sealed.shown)

    assert set(sealed.shown) == set(entered) - {"client_secret", "private_key"}
    assert entered["client_secret"] not in shown and "PRIVATE KEY" not in shown
    assert sealed.certificate_expires_at is not None


def test_no_secret_is_logged_whatever_happens(
    bank: Bank,
    connect: Connect,
    entered: dict[str, Any],
    order: PaymentOrder,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.INFO)
    provider = connect()
    rail, now = provider.rails()[0], datetime.now(UTC)
    for failure in ("", "500", "HTML", "half a body", "another form", "timeout after", "403", "redirect", "401"):
        for ask in (lambda: rail.instruct(order), provider.check, lambda: list(provider.received(now, now))):
            bank.will(failure)
            try:
                ask()
            except CallFailed as failed:
                caplog.records.append(logging.makeLogRecord({"msg": failed.reason}))
    wrong = connect(client_secret="guessed-by-somebody")
    with pytest.raises(NotConnected):
        wrong.check()

    said = capsys.readouterr().err + "".join(str(record.getMessage()) for record in caplog.records)
    assert said.count('"provider.answered"') > 20 and said.count('"provider.not_answered"') > 10
    secrets = (entered["client_secret"], "guessed-by-somebody", *bank.tokens, "Bearer", "Basic ", "BEGIN")
    private = (order.payer.name, order.payer.tax_id, entered["pix_key"], "br.gov.bcb.pix", "40a0932d")
    assert [one for one in (*secrets, *private) if one and one in said] == []


def test_an_account_is_logged_with_the_call_and_our_id(
    bank: Bank, connect: Connect, order: PaymentOrder, capsys: pytest.CaptureFixture[str]
) -> None:
    connect().rails()[0].instruct(order)

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if '"provider.' in line]
    assert [(one["call"], one["status"]) for one in lines] == [("POST /oauth/token", 200), ("PUT /cob/{txid}", 201)]
    assert lines[1]["about"] == order.payment_id.removeprefix("pay_")
    assert 0 <= lines[1]["elapsed_ms"] < 10_000
