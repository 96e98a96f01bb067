"""What the creation of a PIX payment answers, what its lookups say, and who its customer is."""

import base64
import io
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
import zxingcpp
from PIL import Image

from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import MARIA, a_payment, pix
from webhooks.models import Event

ULID = "[0-9A-HJKMNP-TV-Z]{26}"
MEMBERS = {
    "id",
    "companyId",
    "environment",
    "reference",
    "status",
    "method",
    "currency",
    "amount",
    "fee",
    "netAmount",
    "refundedAmount",
    "settlementDays",
    "releaseAt",
    "resolution",
    "customer",
    "pixCopyPaste",
    "pixQrCode",
    "pixTxid",
    "pixEndToEndId",
    "expiresAt",
    "paidAt",
    "createdAt",
    "updatedAt",
}


@pytest.fixture
def created(api: Api) -> dict[str, Any]:
    data: dict[str, Any] = api.post("/payments", pix(reference="order-1042")).json()["data"]
    return data


def crc16(text: str) -> str:
    """CRC-16/CCITT-FALSE, as the fields 63 of a BR Code is computed."""
    crc = 0xFFFF
    for byte in text.encode():
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return f"{crc:04X}"


def fields(code: str) -> dict[str, str]:
    """The fields of an EMV code: two digits of name, two of length, the value."""
    found = {}
    while code:
        name, length = code[:2], int(code[2:4])
        found[name], code = code[4 : 4 + length], code[4 + length :]
    return found


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def test_a_creation_answers_the_whole_payment(created: dict[str, Any], acme: Shop) -> None:
    assert set(created) == MEMBERS
    assert re.fullmatch("pay_" + ULID, created["id"])
    assert re.fullmatch("cus_" + ULID, created["customer"].pop("id"))
    assert created["customer"] == {"name": "Maria Silva", "email": None, "phone": None, "taxId": "52998224725"}
    expected = {
        "companyId": acme.company.id,
        "environment": "SANDBOX",
        "reference": "order-1042",
        "status": "PENDING",
        "method": "PIX",
        "currency": "BRL",
        "amount": 150.00,
        "fee": 1.50,
        "netAmount": 148.50,
        "refundedAmount": 0,
        "settlementDays": 0,
        "releaseAt": None,
        "pixEndToEndId": None,
        "paidAt": None,
    }
    assert {name: created[name] for name in expected} == expected
    assert created["createdAt"] == created["updatedAt"]


def test_a_creation_moves_no_money_and_announces_nothing(api: Api, created: dict[str, Any], acme: Shop) -> None:
    balance = api.get(f"/companies/{acme.company.id}/balance").json()["data"]

    assert [wallet["total"] for wallet in balance["wallets"] if wallet["total"]] == []
    assert Event.objects.count() == 0


def test_both_lookups_give_what_the_creation_gave(api: Api, created: dict[str, Any]) -> None:
    assert api.get(f"/payments/{created['id']}").json()["data"] == created
    assert api.get(f"/transactions/{created['id']}").json()["data"] == created


def test_the_code_to_copy_says_the_amount_and_checks(created: dict[str, Any]) -> None:
    code = created["pixCopyPaste"]

    assert len(code) < 512
    assert code[-4:] == crc16(code[:-4])
    parts = fields(code)
    assert (parts["00"], parts["53"], parts["58"]) == ("01", "986", "BR")
    assert float(parts["54"]) == 150.00
    assert fields(parts["26"])["00"].lower() == "br.gov.bcb.pix"
    assert list(parts)[-1] == "63"


def test_the_image_is_the_code_to_copy(created: dict[str, Any]) -> None:
    kind, _, content = created["pixQrCode"].partition(",")

    assert kind == "data:image/png;base64"
    [seen] = zxingcpp.read_barcodes(Image.open(io.BytesIO(base64.b64decode(content, validate=True))))
    assert seen.text == created["pixCopyPaste"]


def test_the_txid_is_the_ulid_of_the_payment(created: dict[str, Any]) -> None:
    assert created["pixTxid"] == created["id"].removeprefix("pay_")
    assert re.fullmatch("[A-Za-z0-9]{26,35}", created["pixTxid"])


@pytest.mark.parametrize(("asked", "seconds"), [(None, 86_400), (60, 60), (3600, 3600), (2_592_000, 2_592_000)])
def test_the_payer_has_a_day_unless_said(api: Api, asked: int | None, seconds: int) -> None:
    data = api.post("/payments", pix(expiresIn=asked)).json()["data"]

    assert moment(data["expiresAt"]) - moment(data["createdAt"]) == timedelta(seconds=seconds)


def test_a_member_of_other_methods_is_ignored(api: Api) -> None:
    answer = api.post("/payments", pix(returnUrl="http://shop.example.com"))

    assert answer.status_code == 201
    assert set(answer.json()["data"]) == MEMBERS


@pytest.mark.parametrize("path", ["/payments", "/transactions"])
@pytest.mark.parametrize(
    "unknown", ["pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF", "pay_", "x", "0", "cus_01KAGTW3Q8XJ5V0N2B7R4C9DEF"]
)
def test_an_unknown_and_a_malformed_id_get_the_same_answer(api: Api, path: str, unknown: str) -> None:
    answer = api.get(f"{path}/{unknown}")

    assert (answer.status_code, answer.json()["onpayCode"]) == (404, "ONP404_PAYMENT")


def test_an_id_is_spelt_exactly(api: Api, created: dict[str, Any]) -> None:
    for spelt in (created["id"].lower(), created["id"].upper(), created["pixTxid"], created["id"] + " "):
        assert api.get(f"/payments/{spelt}").status_code == 404


def test_a_reference_that_is_taken_is_refused_and_makes_nothing(api: Api, created: dict[str, Any]) -> None:
    for reference in ("order-1042", "  order-1042 "):
        answer = api.post("/payments", pix(reference=reference, amount=10))

        assert (answer.status_code, answer.json()["onpayCode"]) == (409, "ONP409_DUPLICATE_REFERENCE")
        assert answer.json()["error"]["paymentId"] == created["id"]
    assert Payment.objects.count() == 1


def test_a_reference_is_taken_in_its_own_company_only(api: Api, globex_api: Api) -> None:
    assert [one.post("/payments", pix(reference="order-7")).status_code for one in (api, globex_api)] == [201, 201]


def test_references_that_differ_in_case_are_two_orders(api: Api) -> None:
    statuses = [api.post("/payments", pix(reference=one)).status_code for one in ("order-a", "ORDER-A")]

    assert statuses == [201, 201]


@pytest.mark.parametrize("status", ["SUSPENDED", "CLOSED"])
def test_a_company_that_is_not_active_requests_no_money_but_reads(
    api: Api, acme: Shop, created: dict[str, Any], status: str
) -> None:
    acme.company.status = status
    acme.company.save()

    answer = api.post("/payments", pix())

    assert (answer.status_code, answer.json()["onpayCode"]) == (403, "ONP403_COMPANY_STATUS")
    assert (Payment.objects.count(), IdempotencyKey.objects.count()) == (1, 1)
    assert api.get(f"/payments/{created['id']}").status_code == 200
    assert api.get(f"/companies/{acme.company.id}").json()["data"]["status"] == status


@pytest.mark.parametrize(
    ("method", "currency", "payer"),
    [
        ("SPEI", "MXN", {"name": "Maria"}),
        ("BANK_TRANSFER", "ARS", {"name": "Maria", "taxId": "20123456786"}),
        ("PSE", "COP", {"name": "Maria", "taxId": "1020304050"}),
        ("NEQUI", "COP", {"name": "Maria", "taxId": "1020304050"}),
        ("BRE_B", "COP", {"name": "Maria", "taxId": "1020304050"}),
        ("MB_WAY", "EUR", {"name": "Maria", "phone": "+351912345678"}),
    ],
)
def test_a_method_that_the_company_does_not_have_is_refused(
    api: Api, acme: Shop, method: str, currency: str, payer: dict[str, str]
) -> None:
    enabled = api.get(f"/companies/{acme.company.id}").json()["data"]["enabledMethods"]
    if {"method": method, "currency": currency} in enabled:
        pytest.skip(f"the company has {method} in {currency}")

    answer = api.post("/payments", pix(method=method, currency=currency, amount=5000, payer=payer))

    assert (answer.status_code, answer.json()["onpayCode"]) == (403, "ONP403_METHOD_NOT_ENABLED")
    assert (Payment.objects.count(), Customer.objects.count()) == (0, 0)


def test_a_payer_who_comes_again_is_the_same_customer(api: Api) -> None:
    ids = {
        api.post("/payments", pix(payer=payer)).json()["data"]["customer"]["id"]
        for payer in (
            MARIA,
            MARIA | {"taxId": "529.982.247-25"},
            MARIA | {"name": "M. Silva", "email": "m@example.com"},
        )
    }

    assert (len(ids), Customer.objects.count()) == (1, 1)


def test_what_a_payer_says_anew_replaces_what_was_known(api: Api) -> None:
    first = MARIA | {"email": "Maria@Example.com", "phone": "+5511999998888"}
    api.post("/payments", pix(payer=first))

    api.post("/payments", pix(payer=MARIA | {"name": "Maria Souza", "phone": "+5511777776666"}))

    customer = Customer.objects.get()
    assert (customer.name, customer.phone) == ("Maria Souza", "+5511777776666")
    assert (customer.email or "").lower() == "maria@example.com"


def test_two_payers_with_one_email_are_two_customers(api: Api) -> None:
    for tax_id in ("52998224725", "11144477735"):
        api.post("/payments", pix(payer={"name": "Maria Silva", "taxId": tax_id, "email": "shared@example.com"}))

    assert Customer.objects.count() == 2


def test_a_customer_belongs_to_one_company(api: Api, globex_api: Api) -> None:
    ids = {one.post("/payments", pix()).json()["data"]["customer"]["id"] for one in (api, globex_api)}

    assert len(ids) == 2


def test_a_refused_payment_leaves_no_customer(api: Api, acme: Shop) -> None:
    taken = a_payment(acme.sandbox)
    stranger = {"name": "João Souza", "taxId": "11144477735"}

    assert api.post("/payments", pix(amount=0.01, payer=stranger)).status_code == 422
    assert api.post("/payments", pix(reference=taken.reference, payer=stranger)).status_code == 409
    assert list(Customer.objects.values_list("tax_id", flat=True)) == ["52998224725"]
