"""A boleto, from its creation to the slip that the payer holds in hand."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client

from accounts.models import Merchant
from gateway.payments.due import EXPIRY
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from webhooks.models import Event

PAYER = {
    "name": "Maria Silva",
    "taxId": "529.982.247-25",
    "email": "maria@example.com",
    "address": {
        "street": "Rua das Flores", "number": "100", "district": "Centro", "city": "São Paulo", "state": "SP",
        "postalCode": "01001-000",
    },
}  # fmt: skip
REQUIRED = [
    "payer.taxId", "payer.email", "payer.address.street", "payer.address.number", "payer.address.district",
    "payer.address.city", "payer.address.state", "payer.address.postalCode", "dueDate",
]  # fmt: skip


def in_days(days: int) -> str:
    return str(datetime.now(UTC).date() + timedelta(days=days))


def boleto(**members: object) -> dict[str, object]:
    return pix(method="BOLETO", payer=PAYER, dueDate=in_days(5)) | members


@pytest.fixture
def created(api: Api) -> dict[str, object]:
    answer = api.post("/payments", boleto())
    assert answer.status_code == 201, answer.content
    return dict(answer.json()["data"])


def pdf(created: dict[str, object], **headers: str) -> object:
    """What the payer's browser gets at pdfUrl."""
    return Client().get(str(created["pdfUrl"]).partition("localhost:8000")[2], headers=headers)


def test_a_boleto_carries_its_numbers_and_its_slip(created: dict[str, object], api: Api) -> None:
    assert created["status"] == "PENDING"
    assert len(str(created["barcode"])) == 44
    assert len(str(created["digitableLine"])) == 47
    assert created["dueDate"] == in_days(5)
    last_second = datetime.combine(date.fromisoformat(in_days(9)), datetime.min.time()) + timedelta(hours=3)
    assert created["expiresAt"] == f"{last_second - timedelta(milliseconds=1):%Y-%m-%dT%H:%M:%S}.999Z"
    assert api.get(f"/payments/{created['id']}").json()["data"] == created

    slip = pdf(created)

    assert (slip.status_code, slip["Content-Type"], slip["Referrer-Policy"]) == (200, "application/pdf", "no-referrer")
    assert slip["Content-Disposition"] == f'inline; filename="boleto-{created["documentNumber"]}.pdf"'
    assert slip["RequestId"].startswith("req_")
    assert slip.content.startswith(b"%PDF-")


def test_the_key_opens_it_too_and_nobody_elses(created: dict[str, object], acme: Shop, globex: Shop) -> None:
    path = f"/api/v2/payments/{created['id']}/boleto"

    for accept in ("application/pdf", "application/json", "*/*"):
        assert Client().get(path, headers={"x-api-key": acme.sandbox_key, "accept": accept}).status_code == 200
    assert Client().get(path).status_code == 401
    assert Client().get(path, headers={"x-api-key": globex.sandbox_key}).status_code == 404


def test_a_link_opens_its_own_boleto_only(created: dict[str, object], api: Api) -> None:
    other = api.post("/payments", boleto()).json()["data"]
    path, _, token = str(created["pdfUrl"]).partition("localhost:8000")[2].partition("?token=")

    for forged in (
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        "",
        "x",
        str(other["pdfUrl"]).partition("token=")[2],
    ):
        refused = Client().get(path, {"token": forged})
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "ONP401")


def test_a_paid_boleto_is_still_shown_and_an_expired_one_is_gone(
    created: dict[str, object], api: Api, acme: Shop
) -> None:
    expiring = api.post("/payments", boleto()).json()["data"]
    paid = api.post(f"/simulations/payments/{created['id']}", {"status": "PAID"}).json()["data"]
    api.post("/simulations/clock", {"advanceBy": "P10D"})

    assert paid["netAmount"] == 146.51
    assert pdf(created).status_code == 200
    gone = pdf(expiring)
    assert (gone.status_code, gone.json()["error"]["code"]) == (410, "ONP410_BOLETO")
    assert set(Event.objects.values_list("type", "object_id")) == {
        ("payment.paid", created["id"]), ("payment.expired", expiring["id"]),
    }  # fmt: skip


def test_a_link_ends_thirty_days_after_the_deadline(created: dict[str, object], api: Api, acme: Shop) -> None:
    api.post(f"/simulations/payments/{created['id']}", {"status": "PAID"})
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=40))

    assert pdf(created).status_code == 401


def test_another_payment_has_no_boleto(api: Api, acme: Shop) -> None:
    payment = a_payment(acme.sandbox)

    assert api.get(f"/payments/{payment.id}/boleto").json()["error"]["code"] == "ONP404_PAYMENT"


def test_every_missing_member_is_listed(api: Api) -> None:
    refused = api.post("/payments", boleto(payer={"name": "Maria Silva"}, dueDate=None)).json()["error"]

    assert refused["code"] == "ONP400_BOLETO"
    assert [fault["field"] for fault in refused["fields"]] == REQUIRED
    assert {fault["code"] for fault in refused["fields"]} == {"REQUIRED"}


@pytest.mark.parametrize("due", ["2020-01-01", "tomorrow", "2026-02-30", in_days(400), 20261201])
def test_a_due_date_is_from_today_to_a_year_ahead(api: Api, due: object) -> None:
    refused = api.post("/payments", boleto(dueDate=due)).json()["error"]

    assert (refused["code"], refused["field"]) == ("ONP400_DUE_DATE", "dueDate")


def test_a_boleto_is_due_in_reais_and_covers_its_fee(api: Api) -> None:
    assert api.post("/payments", boleto(currency="MXN")).json()["error"]["code"] == "ONP400_CURRENCY"
    assert api.post("/payments", boleto(amount=3.49)).json()["error"]["code"] == "ONP422_BOLETO_AMOUNT_TOO_SMALL"


def test_the_timetable_ends_it_after_its_last_day(created: dict[str, object], acme: Shop) -> None:
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=10))

    assert EXPIRY.sweep() == 1
