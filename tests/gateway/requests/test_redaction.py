"""What the log of requests may tell: nothing that acts, opens or pays, wherever it stands and whatever it is called."""

import base64
import json
import time
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.requests import redaction
from gateway.requests.models import ApiRequest
from tests.support.api import Api
from tests.support.card_numbers import numbers_in, numbers_in_the_database
from tests.support.cards import opened
from tests.support.companies import Shop
from tests.support.payments import MARIA, pix
from tests.support.refunds import PDF, answered, disputed, paid
from tests.support.withdrawals import RAILS, Rail, body, fund, register, send

SECRET_NAMES = [
    "clientSecret", "client_secret", "sessionToken", "checkoutUrl", "redirectUrl", "secret", "signing-secret",
    "paymentMethodToken", "cardToken", "quoteToken", "token", "pan", "PAN", "number", "cardNumber", "cvv", "CVC",
    "cardCvc", "securityCode", "cardExpiry", "expiryMonth", "password", "x-api-key", "apiKey", "API_KEY",
    "authorization", "Authorization", "cookie", "Set-Cookie", "card", "content", "bodyBase64", "body", "n" * 65,
]  # fmt: skip
MASKED_NAMES = [
    "pixKey", "clabe", "cbu", "cvu", "alias", "accountNumber", "address", "documentNumber", "beneficiaryTaxId", "taxId",
    "email", "phone", "tax_id",
]  # fmt: skip
CARDS = ["4111111111111111", "5555555555554444", "378282246310005", "6011000990139424", "3566002020360505"]
plain = st.text(max_size=20) | st.integers(-(10**6), 10**6) | st.booleans() | st.none() | st.floats(allow_nan=False)
trees = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner), max_leaves=15)
secrets = st.uuids().map(lambda one: f"{one.hex}-x")


def kept(value: Any) -> str:
    _, text = redaction.body(json.dumps(value).encode())
    assert text is not None
    json.loads(text.rstrip("…")) if len(text) < redaction.LONGEST_BODY else None
    return text


@st.composite
def with_one_planted(draw: st.DrawFn, names: list[str], what: st.SearchStrategy[Any]) -> tuple[Any, Any]:
    """JSON with a member of one of the names somewhere in it, and what is in that member."""
    planted = draw(what)
    value: Any = {draw(st.sampled_from(names)): planted} | draw(st.dictionaries(st.text(max_size=3), trees, max_size=3))
    for _ in range(draw(st.integers(0, 6))):
        others = draw(st.lists(trees, max_size=2))
        value = draw(st.sampled_from([[value, *others], {"payer": value}, {"data": value, "n": others}]))
        value = json.dumps(value) if draw(st.integers(0, 9)) == 0 else value
    return value, planted


@given(with_one_planted(SECRET_NAMES, secrets))
def test_a_secret_is_never_kept_whatever_stands_around_it(planted: tuple[Any, str]) -> None:
    value, secret = planted
    assert secret not in kept(value)


@given(with_one_planted(sorted({*SECRET_NAMES} - {"card"}), st.lists(secrets) | st.dictionaries(secrets, secrets)))
def test_nor_where_it_is_a_list_or_an_object(planted: tuple[Any, Any]) -> None:
    value, inside = planted
    text = kept(value)
    assert [one for one in inside if one in text] == []


@given(with_one_planted(MASKED_NAMES, secrets))
def test_where_money_goes_and_who_pays_is_told_by_its_end_at_most(planted: tuple[Any, str]) -> None:
    value, told = planted
    text = kept(value)
    assert told not in text
    assert told[: len(told) // 2 + 1] not in text
    assert told[len(told) // 2 - 1 :] not in text


@given(st.data())
def test_card_numbers_are_never_kept_however_they_are_written(data: st.DataObject) -> None:
    number = data.draw(st.sampled_from(CARDS))
    separator = data.draw(st.sampled_from(["", " ", "-", ".", " - "]))
    written = separator.join(number[start : start + 4] for start in range(0, len(number), 4))
    around = data.draw(
        st.sampled_from(["{}", "no. {}", "{} 12/27", "1 {} 123", "x{}y", "{}, {}", "{};2712", "2712 {}"])
    )
    value, _ = data.draw(
        with_one_planted(["reference", "note", written, "deep"], st.just(around.format(written, written)))
    )

    text = kept(value)

    assert numbers_in(text, [number]) == set()
    assert numbers_in(kept({"reference": int(number), "list": [float(number)]}), [number]) == set()
    assert number not in redaction.query(f"reference={written.replace(' ', '+')}&{written}")


@pytest.mark.parametrize("number", ["4.111111111111111e15", "4.111111111111111E+15", "41.11111111111111e14"])
def test_nor_as_a_number_with_an_exponent(number: str) -> None:
    """So PHP writes a card number that was made a float."""
    assert redaction.body(f'{{"reference":{number}}}'.encode())[1] == '{"reference":"[redacted]"}'


def test_many_groups_of_digits_take_no_longer_each_than_few() -> None:
    """One of 256 KiB, as much as a body may have, took half a minute of a thread."""
    began = time.process_time()
    assert kept({"reference": "4111 1111 1111 1111", "note": "1 " * 250_000}).startswith('{"reference":"[redacted]"')
    assert time.process_time() - began < 10


@given(st.binary(max_size=200) | st.text().map(str.encode) | trees.map(json.dumps).map(str.encode))
def test_any_bytes_can_be_kept(content: bytes) -> None:
    _, text = redaction.body(content)
    assert text is None or len(text) <= redaction.LONGEST_BODY
    redaction.body(content, "application/pdf")
    redaction.query(content.decode("latin-1"))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", None),
        (b"{", "[1 bytes that are not JSON]"),
        (b'{"cvv":"123"', "[12 bytes that are not JSON]"),
        (b"\xff\x00", "[2 bytes that are not JSON]"),
        (b"[" * 100_000, "[100,000 bytes that are not JSON]"),
        (b'"\\ud800"', "[8 bytes that are not JSON]"),
        (b'{"amount":150.00,"n":12345678901234567890,"x":1e400}', None),
        (b'{"a":"\\u0000"}', None),
        (b'{"secret":null,"password":true}', None),
    ],
)  # fmt: skip
def test_what_is_no_json_is_counted_and_numbers_stay_as_written(content: bytes, text: str | None) -> None:
    assert redaction.body(content)[1] == (text or content.decode() or None)


def test_long_bodies_are_cut() -> None:
    assert kept(list(range(1000))) == f'[{",".join(map(str, range(20)))},"[980 more]"]'
    text = kept({"note": "x" * 20_000, "secret": "s"})
    assert (len(text), text[-1]) == (16_384, "…")


@pytest.mark.parametrize(
    ("member", "sent", "told"),
    [
        ("email", "maria@example.com", "m***@example.com"),
        ("pixKey", "maria@example.com", "m***@example.com"),
        ("pixKey", "f***@loja.com.br", "f***@loja.com.br"),
        ("taxId", "52998224725", "*******4725"),
        ("phone", "+5511999998888", "+55*******8888"),
        ("clabe", "032180000118359719", "**************9719"),
        ("cbu", "2850590940090418135201", "******************5201"),
        ("alias", "tienda.online", "ti***********"),
        ("accountNumber", "12345678901", "*******8901"),
        ("address", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TR7NHq...gjLj6t"),
        ("address", {"street": "Rua A", "number": "12"}, {"street": "Rua A", "number": "[redacted]"}),
        ("card", {"brand": "visa", "last4": "1111"}, {"brand": "visa", "last4": "1111"}),
        ("clabe", 32180000118359719, "[redacted]"),
        ("pdfUrl", "https://x.example/boleto?token=a:b-c", "https://x.example/boleto?token=[redacted]"),
        ("url", "https://me:pass@x.example/h?a=1", "https://[redacted]@x.example/h?a=1"),
        ("reference", "onp_live_Zk3v0m1Q2n7c", "onp_live_[redacted]"),
        ("note", "use whsec_AAECAwQ+/=", "use whsec_[redacted]"),
        ("name", "Maria Silva", "Maria Silva"),
    ],
)  # fmt: skip
def test_how_each_kind_is_told(member: str, sent: Any, told: Any) -> None:
    assert json.loads(kept({member: sent})) == {member: told}


# ── Over the API ──────────────────────────────────────────────────────────────────────────────────────────────────
def texts() -> str:
    """Everything that the log tells."""
    return str(list(ApiRequest.objects.values()))


def test_what_opens_a_card_payment_is_in_the_answer_and_not_in_the_log(api: Api, request_log: ModuleType) -> None:
    session = opened(api)
    api.get(f"/payments/{session.id}")
    request_log.flush()

    action = session.payment["nextAction"]
    assert [name for name in ("clientSecret", "sessionToken", "checkoutUrl") if action[name] in texts()] == []
    assert session.secret.partition("_secret_")[2] not in texts()
    assert texts().count('"integrationMode":"SECURE_FIELDS"') == 2


def test_card_data_that_is_refused_is_not_kept(api: Api, request_log: ModuleType) -> None:
    card = {"number": "4111 1111 1111 1111", "cvc": "987", "holder": "M SILVA"}
    answer = api.post("/payments?note=4111111111111111", pix(card=card))
    api.get("/payments/4111111111111111")
    request_log.flush()

    assert answer.json()["onpayCode"] == "ONP400_CARD_DATA"
    assert ApiRequest.objects.get(code="ONP400_CARD_DATA").request_body == "[card data]"
    assert numbers_in_the_database(["4111111111111111"]) == set()
    assert "987" not in str(list(ApiRequest.objects.values_list("request_body", flat=True)))


def test_secrets_of_endpoints_are_not_kept(api: Api, request_log: ModuleType) -> None:
    created = api.post("/webhooks", {"url": "https://u:pw@shop.example.com/h", "events": ["*"]})
    created = (
        created if created.status_code == 201 else api.post("/webhooks", {"url": "https://1.1.1.1/h", "events": ["*"]})
    )
    endpoint = created.json()["data"]
    rotated = api.post(f"/webhooks/{endpoint['id']}/secret-rotations", {}).json()["data"]
    told = {"headers": {"Authorization": "Basic c2VjcmV0"}, "body": "{}", "secret": endpoint["secret"]}
    api.post(f"/webhooks/{endpoint['id']}/verifications", told)
    request_log.flush()

    for secret in (endpoint["secret"], rotated["secret"], "c2VjcmV0", "u:pw"):
        assert secret not in texts()


@pytest.mark.parametrize("rail", RAILS, ids="-".join)
def test_where_a_withdrawal_goes_is_masked(
    api: Api, acme: Shop, address: str, rail: Rail, request_log: ModuleType
) -> None:
    register(acme, address)
    sent = body(acme, rail)
    fund(api, sent["currency"])
    assert send(api, rail, sent).status_code == 201
    assert send(api, rail, sent, dry=True).status_code == 200
    request_log.flush()

    row = ApiRequest.objects.get(path__startswith="/api/v2/withdrawals", query="")
    destinations = {"pixKey", "clabe", "cbu", "accountNumber", "documentNumber", "beneficiaryTaxId", "address"}
    named = destinations & sent.keys()
    assert named
    for name in named:
        assert sent[name] not in texts()
    assert json.loads(row.request_body or "")["reference"] == sent["reference"]


def test_evidence_is_measured_and_what_is_said_is_kept(api: Api, request_log: ModuleType) -> None:
    refund = disputed(api, paid(api))
    file = {"type": "FILE", "fileName": "proof.pdf", "contentType": "application/pdf"}
    encoded = base64.b64encode(PDF).decode()
    answered(api, refund, "CONTEST", evidence=[file | {"content": encoded}])
    request_log.flush()

    row = ApiRequest.objects.get(path__endswith="/responses")
    assert row.request_body is not None
    said = json.loads(row.request_body)
    assert (said["answer"], said["message"]) == ("CONTEST", "Delivered on 2026-11-10.")
    assert said["evidence"] == [file | {"content": f"[{len(encoded)} characters]"}]
    assert encoded not in texts()


def test_payers_are_told_in_part(api: Api, request_log: ModuleType) -> None:
    payer = MARIA | {"email": "maria@example.com", "phone": "+5511999998888"}
    api.post("/payments", pix(payer=payer))
    api.get("/customers", taxId=payer["taxId"], email=payer["email"])
    api.get("/events")
    request_log.flush()

    assert ApiRequest.objects.count() == 3
    assert [sent for sent in (payer["taxId"], payer["email"], payer["phone"]) if sent in texts()] == []
    assert "Maria Silva" in texts()
    assert ApiRequest.objects.get(path="/api/v2/customers").query == "taxId=*******4725&email=m***@example.com"
