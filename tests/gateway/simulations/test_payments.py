"""What a simulated outcome does to a payment, its events and the balance, and when it is refused."""

import json
import re
from typing import Any

import pytest

from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from webhooks.models import Event

FINAL = ["PAID", "FAILED", "EXPIRED"]


@pytest.fixture
def payment(acme: Shop) -> Payment:
    return a_payment(acme.sandbox)


def simulate(api: Api, payment: Payment, status: Any = "PAID") -> Any:
    return api.post(f"/simulations/payments/{payment.id}", {"status": status})


def available(api: Api, shop: Shop) -> float:
    wallets = api.get(f"/companies/{shop.company.id}/balance", currency="BRL").json()["data"]["wallets"]
    return sum(wallet["available"] for wallet in wallets)


def told(payment: Payment) -> list[str]:
    return list(Event.objects.filter(object_id=payment.id).order_by("created_at").values_list("type", flat=True))


@pytest.mark.parametrize(("status", "net"), [("PAID", 148.50), ("FAILED", 0), ("EXPIRED", 0)])
def test_an_open_payment_ends_as_asked(api: Api, acme: Shop, payment: Payment, status: str, net: float) -> None:
    before = api.get(f"/payments/{payment.id}").json()["data"]

    answer = simulate(api, payment, status)

    assert answer.status_code == 200
    after = answer.json()["data"]
    assert after["status"] == status
    assert after == api.get(f"/payments/{payment.id}").json()["data"]
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert (
        changed - {"updatedAt"}
        == {
            "PAID": {"status", "paidAt", "releaseAt", "pixEndToEndId"},
            "FAILED": {"status", "failure"},
            "EXPIRED": {"status"},
        }[status]
    )
    assert available(api, acme) == net


@pytest.mark.parametrize("status", FINAL)
def test_the_end_is_announced_once_with_the_payment_as_it_is(api: Api, payment: Payment, status: str) -> None:
    after = simulate(api, payment, status).json()["data"]

    assert told(payment) == [f"payment.{status.lower()}"]
    body = json.loads(bytes(Event.objects.get(object_id=payment.id).body))
    assert set(body) == {"id", "type", "timestamp", "apiVersion", "environment", "companyId", "sequence", "data"}
    assert (body["type"], body["apiVersion"], body["environment"]) == (f"payment.{status.lower()}", "v2", "SANDBOX")
    assert body["companyId"] == after["companyId"]
    assert body["data"] == after


def test_the_creation_of_a_pix_payment_is_not_announced(payment: Payment) -> None:
    assert told(payment) == []


def test_a_paid_pix_payment_is_available_at_once(api: Api, payment: Payment) -> None:
    after = simulate(api, payment).json()["data"]

    assert after["settlementDays"] == 0
    assert after["paidAt"] == after["releaseAt"] == after["updatedAt"]
    assert re.fullmatch(r"E\d{8}\d{12}[A-Za-z0-9]{11}", after["pixEndToEndId"])


def test_every_pix_payment_has_an_end_to_end_id_of_its_own(api: Api, acme: Shop) -> None:
    ends = {simulate(api, a_payment(acme.sandbox)).json()["data"]["pixEndToEndId"] for _ in range(5)}

    assert len(ends) == 5


def test_a_failed_payment_says_that_it_was_simulated(api: Api, payment: Payment) -> None:
    after = simulate(api, payment, "FAILED").json()["data"]

    assert set(after["failure"]) == {"code", "message"}
    assert after["failure"]["code"] == "SIMULATED"
    assert (after["paidAt"], after["releaseAt"]) == (None, None)


@pytest.mark.parametrize("first", FINAL)
@pytest.mark.parametrize("second", FINAL)
def test_a_second_simulation_is_refused_and_moves_nothing(
    api: Api, acme: Shop, payment: Payment, first: str, second: str
) -> None:
    after = simulate(api, payment, first).json()["data"]
    money = available(api, acme)

    answer = simulate(api, payment, second)

    assert answer.status_code == 409
    error = answer.json()["error"]
    assert (error["code"], error["retryable"]) == ("ONP409_PAYMENT_STATE", False)
    assert api.get(f"/payments/{payment.id}").json()["data"] == after
    assert told(payment) == [f"payment.{first.lower()}"]
    assert available(api, acme) == money


@pytest.mark.parametrize(
    "status",
    [
        "PENDING",
        "ACTION_REQUIRED",
        "AUTHORIZED",
        "REFUNDED",
        "paid",
        "Paid",
        "",
        "DONE",
        "PAID\x00",
        None,
        1,
        True,
        ["PAID"],
    ],
)
def test_another_status_cannot_be_simulated(api: Api, acme: Shop, payment: Payment, status: Any) -> None:
    answer = simulate(api, payment, status)

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["field"]) == ("ONP400_STATUS", "status")
    payment.refresh_from_db()
    assert (payment.status, told(payment), available(api, acme)) == ("PENDING", [], 0)


def test_a_status_must_be_said(api: Api, payment: Payment) -> None:
    error = api.post(f"/simulations/payments/{payment.id}", {}).json()["error"]

    assert (error["code"], error["field"]) == ("ONP400_STATUS", "status")
    assert error["fields"][0]["code"] == "REQUIRED"


@pytest.mark.parametrize(
    "unknown", ["pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF", "pay_", "x", "1", "cus_01KAGTW3Q8XJ5V0N2B7R4C9DEF"]
)
def test_a_payment_that_does_not_exist_cannot_end(api: Api, unknown: str) -> None:
    answer = api.post(f"/simulations/payments/{unknown}", {"status": "PAID"})

    assert (answer.status_code, answer.json()["onpayCode"]) == (404, "ONP404_PAYMENT")


def test_a_payment_of_another_company_cannot_be_ended(api: Api, acme: Shop, globex: Shop) -> None:
    theirs = a_payment(globex.sandbox)

    answer = simulate(api, theirs)

    assert (answer.status_code, answer.json()["onpayCode"]) == (404, "ONP404_PAYMENT")
    theirs.refresh_from_db()
    assert (theirs.status, told(theirs), available(api, acme)) == ("PENDING", [], 0)


def test_a_production_key_simulates_nothing(api: Api, acme: Shop, payment: Payment) -> None:
    api.key = acme.production_key

    answer = simulate(api, payment)

    assert (answer.status_code, answer.json()["onpayCode"]) == (403, "ONP403_SANDBOX_ONLY")
    payment.refresh_from_db()
    assert (payment.status, told(payment)) == ("PENDING", [])


@pytest.mark.parametrize("status", ["SUSPENDED", "CLOSED"])
def test_a_company_that_is_not_active_simulates_no_money(api: Api, acme: Shop, payment: Payment, status: str) -> None:
    acme.company.status = status
    acme.company.save()

    answer = simulate(api, payment)

    assert (answer.status_code, answer.json()["onpayCode"]) == (403, "ONP403_COMPANY_STATUS")
    payment.refresh_from_db()
    assert (payment.status, told(payment), available(api, acme)) == ("PENDING", [], 0)


@pytest.mark.parametrize("status", ["FAILED", "EXPIRED"])
def test_the_reference_of_a_payment_that_came_to_nothing_is_free_again(api: Api, status: str) -> None:
    first = api.post("/payments", pix(reference="order-9")).json()["data"]
    assert api.post("/payments", pix(reference="order-9")).status_code == 409
    api.post(f"/simulations/payments/{first['id']}", {"status": status})

    second = api.post("/payments", pix(reference="order-9"))

    assert second.status_code == 201
    assert api.post("/payments", pix(reference="order-9")).json()["error"]["paymentId"] == second.json()["data"]["id"]


def test_the_reference_of_a_paid_payment_stays_taken(api: Api) -> None:
    first = api.post("/payments", pix(reference="order-9")).json()["data"]
    api.post(f"/simulations/payments/{first['id']}", {"status": "PAID"})

    answer = api.post("/payments", pix(reference="order-9"))

    assert answer.json()["onpayCode"] == "ONP409_DUPLICATE_REFERENCE"
    assert Payment.objects.count() == 1


def test_card_data_is_refused_here_too(api: Api, payment: Payment) -> None:
    answer = api.post(f"/simulations/payments/{payment.id}", {"status": "PAID", "cvv": "123"})

    assert answer.json()["onpayCode"] == "ONP400_CARD_DATA"
    payment.refresh_from_db()
    assert payment.status == "PENDING"
