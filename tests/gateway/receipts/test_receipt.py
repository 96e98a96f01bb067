"""What the receipt of a payment says as JSON, who gets it, and in which form."""

import re
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.base.wire import timestamp
from accounts.services import issue_key
from gateway.api.openapi.document import document
from gateway.payments.models import Payment
from gateway.receipts.verification import code
from tests.support.api import V2, Api
from tests.support.companies import Shop
from tests.support.orders import Ordered
from webhooks.models import Event

UNKNOWN = "/payments/pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF/receipt"


def fetch(payment: Payment, shop: Shop, query: str = "", **headers: str) -> HttpResponse:
    path = f"{V2}/payments/{payment.id}/receipt{query}"
    return Client().get(path, headers={"x-api-key": shop.sandbox_key} | headers)


@pytest.mark.parametrize(
    ("method", "amount", "currency", "payer"),
    [
        ("PIX", 1234.5, "BRL", {"name": "Maria Silva", "taxId": "***.982.247-**"}),
        ("BOLETO", 1234.5, "BRL", {"name": "Loja Irmãos Ñuñez", "taxId": "**.444.777/****-**"}),
        ("SPEI", 234567.89, "MXN", {"name": "José Núñez", "taxId": "*****612*****"}),
        ("BANK_TRANSFER", 1234.5, "ARS", {"name": "Martín Gómez", "taxId": "****345****"}),
        ("MB_WAY", 1234.5, "EUR", {"name": "João Conceição", "taxId": None}),
    ],
)
def test_a_receipt_says_exactly_this(
    api: Api, ordered: Ordered, method: str, amount: float, currency: str, payer: dict[str, str | None]
) -> None:
    payment = ordered(method, "PAID")

    receipt: dict[str, Any] = api.get(f"/payments/{payment.id}/receipt").json()["data"]

    assert receipt.pop("issuedAt") >= receipt["paidAt"]
    assert payment.paid_at is not None
    assert receipt == {
        "id": "rcp_" + payment.id.removeprefix("pay_"),
        "paymentId": payment.id,
        "reference": payment.reference,
        "status": "PAID",
        "method": method,
        "amount": amount,
        "refundedAmount": 0,
        "currency": currency,
        "payer": payer,
        "payee": {"name": "Acme LTDA", "taxId": "11222333000181"},
        "dueDate": str(payment.due_date) if method == "BOLETO" else None,
        "pixEndToEndId": payment.rail_reference if method == "PIX" else None,
        "trackingKey": payment.rail_reference if method in ("SPEI", "BANK_TRANSFER") else None,
        "authorizationCode": None,
        "card": None,
        "refunds": [],
        "verificationCode": code(payment),
        "paidAt": timestamp(payment.paid_at),
    }
    assert payment.rail_reference or method == "BOLETO"
    assert re.fullmatch(r"([0-9A-F]{4}-){3}[0-9A-F]{4}", receipt["verificationCode"])


def test_the_receipt_is_one_and_its_issue_follows_the_merchants_clock(api: Api, ordered: Ordered) -> None:
    payment = ordered("PIX", "PAID")
    path = f"/payments/{payment.id}/receipt"
    first = api.get(path).json()["data"]
    now = api.post("/simulations/clock", {"advanceBy": "P3D"}).json()["data"]["now"]

    second = api.get(path).json()["data"]

    assert second.pop("issuedAt") >= now > first.pop("issuedAt")
    assert second == first


@pytest.mark.parametrize("query", ["", "?format=pdf"])
@pytest.mark.parametrize("status", ["PENDING", "FAILED", "EXPIRED"])
def test_what_was_not_paid_has_no_receipt(ordered: Ordered, acme: Shop, status: str, query: str) -> None:
    payment = ordered("PIX", status)
    before = Event.objects.count()

    answer = fetch(payment, acme, query, accept="application/pdf" if query else "application/json")

    assert (answer.status_code, answer.json()["onpayCode"]) == (409, "ONP409_RECEIPT_UNAVAILABLE")
    assert answer.json()["error"]["retryable"] is False
    assert (Payment.objects.get().status, Event.objects.count()) == (status, before)


def test_nobody_else_gets_it(ordered: Ordered, api: Api, globex_api: Api, globex: Shop, acme: Shop) -> None:
    payment = ordered("PIX", "PAID")

    refused = globex_api.get(f"/payments/{payment.id}/receipt")

    assert (refused.status_code, refused.json()["onpayCode"]) == (404, "ONP404_PAYMENT")
    assert fetch(payment, globex, "?format=pdf").status_code == 404
    assert Api(acme.production_key).get(f"/payments/{payment.id}/receipt").status_code == 404
    assert Api(None).get(f"/payments/{payment.id}/receipt").status_code == 401
    assert api.get(UNKNOWN).json()["onpayCode"] == "ONP404_PAYMENT"


def test_a_key_must_be_allowed_to_read_transactions(ordered: Ordered, acme: Shop, address: str) -> None:
    payment = ordered("PIX", "PAID")
    key = issue_key(acme.sandbox, ["payments:write"], "no reading")[1]

    answer = Api(key, address).get(f"/payments/{payment.id}/receipt")

    assert (answer.status_code, answer.json()["error"]["field"]) == (403, "transactions:read")


@pytest.mark.parametrize(
    ("accept", "query", "content_type"),
    [
        ("application/json", "", "application/json"),
        ("*/*", "", "application/json"),
        ("application/*", "", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "", "application/json"),
        ("application/pdf", "", "application/pdf"),
        ("application/pdf, */*;q=0.1", "", "application/pdf"),
        ("application/json", "?format=pdf", "application/pdf"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "?format=pdf", "application/pdf"),
        ("application/pdf", "?format=json", "application/json"),
    ],
)
def test_the_form_is_what_was_asked_for(
    ordered: Ordered, acme: Shop, accept: str, query: str, content_type: str
) -> None:
    answer = fetch(ordered("PIX", "PAID"), acme, query, accept=accept)

    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)
    assert answer["Cache-Control"] == "no-store"
    assert answer["RequestId"].startswith("req_")


def test_a_pdf_has_a_name_and_tells_no_address(ordered: Ordered, acme: Shop) -> None:
    payment = ordered("PIX", "PAID")

    answer = fetch(payment, acme, "?format=pdf")

    assert answer["Content-Disposition"] == f'inline; filename="receipt-rcp_{payment.id[4:]}.pdf"'
    assert answer["Referrer-Policy"] == "no-referrer"
    assert answer.content.startswith(b"%PDF-")


def test_other_forms_are_refused(ordered: Ordered, acme: Shop) -> None:
    payment = ordered("PIX", "PAID")

    html = fetch(payment, acme, accept="text/html")
    xml = fetch(payment, acme, "?format=xml")

    assert (html.status_code, html.json()["onpayCode"]) == (406, "ONP406")
    assert (xml.status_code, xml.json()["onpayCode"], xml.json()["error"]["field"]) == (400, "ONP400_FILTER", "format")


def test_both_forms_are_published() -> None:
    published = document()["paths"][V2 + "/payments/{paymentId}/receipt"]["get"]

    assert set(published["responses"]["200"]["content"]) == {"application/json", "application/pdf"}
    [choice] = [parameter for parameter in published["parameters"] if parameter["in"] == "query"]
    assert (choice["name"], choice["schema"]["enum"]) == ("format", ["json", "pdf"])


def test_a_receipt_costs_three_queries(ordered: Ordered, api: Api) -> None:
    path = f"/payments/{ordered('PIX', 'PAID').id}/receipt"
    for _ in range(2):  # the first use of the key is noted in its row, which is read once more
        api.get(path)

    with CaptureQueriesContext(connection) as asked:
        api.get(path)

    assert len(asked) == 3, "the key, the payment and its refunds"


def test_a_payment_of_a_card_says_what_is_known_of_it(ordered: Ordered, api: Api) -> None:
    """Cards cannot be paid with yet: the details are written as their rail will."""
    payment = ordered("PIX", "PAID")
    payment.details |= {"authorizationCode": "123456", "card": {"brand": "VISA", "last4": "4242", "token": "secret"}}
    payment.save(update_fields=["details"])

    receipt = api.get(f"/payments/{payment.id}/receipt").json()["data"]

    assert receipt["authorizationCode"] == "123456"
    assert receipt["card"] == {"brand": "VISA", "last4": "4242"}
