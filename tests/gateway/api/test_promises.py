"""What integrators were promised, and an outside review found otherwise."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from accounts.base.wire import dumps
from accounts.models import Company
from gateway.logs import redact
from gateway.methods.pix.keys import is_pix_key, normalized
from gateway.methods.selectors import smallest
from gateway.payments.models import Payment
from gateway.refunds.evidence import file_name_of
from gateway.requests import redaction
from gateway.requests.models import IdempotencyKey
from ledger.money import fee
from tests.support.api import Api
from tests.support.cards import TIMEOUT, alone, lookup, opened, outcome
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix


def test_a_new_company_has_every_wallet_with_zeros(api: Api, acme: Shop) -> None:
    data = api.get(f"/companies/{acme.company.id}/balance").json()["data"]

    assert [one["currency"] for one in data["balances"]] == ["ARS", "BRL", "COP", "EUR", "MXN"]
    assert {one["total"] for one in (*data["balances"], *data["wallets"])} == {0}
    [only] = api.get(f"/companies/{acme.company.id}/balance", currency="BRL").json()["data"]["wallets"]
    assert (only["method"], only["currency"], only["available"]) == ("PIX", "BRL", 0)


def test_the_minimum_of_every_method_is_the_smallest_amount_that_is_taken(api: Api) -> None:
    for group in api.get("/payment-methods").json(parse_float=Decimal)["data"]:
        for offer in group["methods"]:
            rule = {"method": offer["method"], "currency": group["currency"]}
            percentage, fixed = offer["fee"]["percentage"], int(offer["fee"]["fixed"] * 100)
            least = int(offer["minAmount"] * 100)
            assert fee(least, Decimal(percentage), fixed) < least, rule
    refused = api.post("/payments", pix(amount=0.01)).json()["error"]
    assert refused["code"] == "ONP422_PIX_AMOUNT_TOO_SMALL"
    assert str(refused["minAmount"]) in refused["message"]
    assert api.post("/payments", pix(amount=refused["minAmount"])).status_code == 201


@pytest.mark.parametrize("percentage", ["0", "0.99", "3.99", "50", "99.9999"])
@pytest.mark.parametrize("fixed", [0, 1, 349])
def test_one_unit_less_than_the_smallest_amount_is_its_own_fee(percentage: str, fixed: int) -> None:
    least = smallest(1, Decimal(percentage), fixed)

    assert fee(least, Decimal(percentage), fixed) < least
    assert least == 1 or fee(least - 1, Decimal(percentage), fixed) >= least - 1


@pytest.mark.parametrize(
    ("sent", "kind", "key"),
    [
        ("529.982.247-25", "CPF", "52998224725"),
        ("11.222.333/0001-81", "CNPJ", "11222333000181"),
        ("Ana@X.com", "EMAIL", "ana@x.com"),
        ("+55 (11) 99999-8888", "PHONE", "+5511999998888"),
        ("9F8E7D6C-1234-4ABC-8DEF-0123456789AB", "EVP", "9f8e7d6c-1234-4abc-8def-0123456789ab"),
    ],
)
def test_a_pix_key_is_taken_as_people_write_it(
    api: Api, acme: Shop, address: str, sent: str, kind: str, key: str
) -> None:
    Company.objects.filter(pk=acme.company.pk).update(withdrawal_ip=address)
    wish = {"companyId": acme.company.id, "amount": 1, "currency": "BRL", "reference": "w", "pixKeyType": kind}

    gates = api.post("/withdrawals/pix?dryRun=true", wish | {"pixKey": sent}).json()["data"]["gates"]

    assert next(gate["holds"] for gate in gates if gate["gate"] == "BODY")
    assert normalized(sent, kind) == key
    assert is_pix_key(key, kind)


def test_an_address_of_the_api_in_any_spelling_is_answered_in_the_envelope() -> None:
    for path in ("/api", "/API/v2/payments", "/Api/", "/api/v2/nothing"):
        answer = Client().get(path)
        assert (answer.status_code, answer.json()["onpayCode"]) == (404, "ONP404"), path
        assert answer["RequestId"] == answer.json()["error"]["requestId"]


def test_a_strange_host_is_named(acme: Shop) -> None:
    answer = Client(HTTP_HOST="evil.example").get("/api/v2/payments", headers={"x-api-key": acme.sandbox_key})

    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "host")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../a\u202efdp.pdf", "a fdp.pdf"),
        ("C:\\secret\\invoice.pdf", "invoice.pdf"),
        ("\u200b\u2066.pdf", "pdf.pdf"),
        ("page.exe", "page.exe.pdf"),
    ],
)
def test_the_name_of_evidence_has_no_path_and_nothing_invisible(sent: str, kept: str) -> None:
    assert file_name_of(sent, "application/pdf") == kept


def test_a_late_answer_is_told_the_deadline_that_it_missed(api: Api, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    refund = api.post(f"/simulations/payments/{payment.id}/refund-requests", {"amount": 1}).json()["data"]
    api.post("/simulations/clock", {"advanceBy": "P30D"})

    with alone():
        answer = api.post(f"/refunds/{refund['id']}/responses", {"answer": "ACCEPT"})

    error = answer.json()["error"]
    assert (error["code"], error["responseDueAt"]) == ("ONP409_REFUND_RESPONSE_DEADLINE", refund["responseDueAt"])


CARDS = [
    "4242424242424242", "order 4242 4242 4242 4242", "12-4242-4242-4242-4242-7", "x3782 822463 10005y",
    "4242.4242.4242.4242", "42424242-42424242", "3782 822463 10005", "5555555555554444", "424242 424242 4242",
    "\uff14\uff12\uff14\uff12" * 4, "4242\u20134242\u20134242\u20134242",
]  # fmt: skip
NO_CARDS = [
    "1795262400000", "0000000000000000", "4242424242424241", "9999999999999995", "42424242424242424242",
    "78 90 12 34 56 78 90", "order-2026-11-22-0001", "order-41234-00000010", "4123412-345676",
    "order_42424242-4242-4242-a2c3-000000000000", "AB4242424242424242B0C0D0E0F0A1C3",
]  # fmt: skip


def body_with(member: str, text: str) -> dict[str, Any]:
    if member == "payer.name":
        return pix(payer={"name": text, "taxId": "52998224725"})
    return pix(**{member: text})


@pytest.mark.parametrize("text", CARDS)
@pytest.mark.parametrize("member", ["reference", "payer.name", "note"])
def test_a_card_number_in_a_text_is_refused_and_not_kept(api: Api, member: str, text: str) -> None:
    answer = api.post("/payments", body_with(member, text))

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (400, "ONP400_CARD_DATA", member)
    assert not Payment.objects.exists()


@pytest.mark.parametrize("text", [*CARDS, "\u0664\u0662" * 8, "4242\u200b4242\u00a04242\u20144242"])
def test_a_card_number_is_masked_in_logs_and_in_the_log_of_requests_in_every_script(text: str) -> None:
    assert "[redacted]" in redact(None, "info", {"event": f"refused {text}"})["event"]
    _, kept = redaction.body(dumps({"note": text, text: 1}))
    assert kept is not None
    assert kept.count(redaction.REMOVED) == 2


@pytest.mark.parametrize("text", NO_CARDS)
def test_other_long_numbers_are_taken(api: Api, text: str) -> None:
    assert api.post("/payments", pix(reference=text)).status_code == 201


def test_other_texts_that_are_kept_refuse_card_numbers_too(api: Api, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    for path, body in (
        (f"/payments/{payment.id}/refunds", {"reason": CARDS[1]}),
        (f"/simulations/payments/{payment.id}/refund-requests", {"payerStatement": CARDS[1]}),
        ("/webhooks", {"url": "http://127.0.0.1:9/hooks", "events": ["*"], "description": CARDS[1]}),
        (f"/payments/{payment.id}/expire", {"note": CARDS[1]}),
        (f"/payments/{payment.id}/expire", {"cvv": "123"}),
    ):
        assert api.post(path, body).json()["onpayCode"] == "ONP400_CARD_DATA", path
    api.post("/payments", pix(n4242424242424242=1))
    assert not IdempotencyKey.objects.filter(members__contains=CARDS[0]).exists()


def test_a_card_that_is_not_answered_shows_until_when_it_may_be(api: Api) -> None:
    session = opened(api)
    assert "expiresAt" not in session.payment
    session.pay(TIMEOUT)

    waiting = lookup(api, session)
    assert (waiting["status"], waiting["expiresAt"] > waiting["updatedAt"]) == ("PENDING", True)


def test_two_pages_that_confirm_both_learn_the_outcome(api: Api) -> None:
    session = opened(api)
    first, second = session.token(), session.token()

    assert outcome(session.confirm(first)) == (200, "PAID")
    assert outcome(session.confirm(second)) == (200, "PAID")
    assert outcome(session.call("confirm", {})) == (200, "PAID")


def test_a_card_payment_that_went_back_before_it_was_released_has_no_release(api: Api, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")  # the fee of a card payment that goes back stays
    session = opened(api)
    session.pay()
    assert lookup(api, session)["releaseAt"] is not None
    refund = api.post(f"/payments/{session.id}/refunds").json()["data"]
    api.post(f"/simulations/refunds/{refund['id']}", {"status": "COMPLETED"})

    gone = lookup(api, session)
    assert (gone["status"], gone["releaseAt"]) == ("REFUNDED", None)
