"""A PIX payment with a due date, as an invoice has it: paid on its last day, or expired after it."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.support.api import Api, used
from tests.support.bad_orders import in_days
from tests.support.companies import Shop
from tests.support.payments import pix
from webhooks.models import Event


@pytest.fixture
def created(api: Api) -> dict[str, Any]:
    answer = api.post("/payments", pix(reference="invoice-7", dueDate=in_days(10)))
    assert answer.status_code == 201, answer.content
    return dict(answer.json()["data"])


def now(api: Api, payment: dict[str, Any]) -> dict[str, Any]:
    return dict(api.get(f"/payments/{payment['id']}").json()["data"])


def at(api: Api, payment: dict[str, Any], **before: int) -> None:
    """Moves the sandbox clock so close to the end of the due date."""
    moment = datetime.fromisoformat(payment["expiresAt"]) - timedelta(**before)
    answer = api.post("/simulations/clock", {"advanceTo": f"{moment:%Y-%m-%dT%H:%M:%SZ}"})
    assert answer.status_code == 200, answer.content


def test_it_is_paid_on_its_last_day_and_the_receipt_says_when_it_was_due(
    api: Api, acme: Shop, created: dict[str, Any]
) -> None:
    at(api, created, minutes=10)
    assert now(api, created) == created

    paid = api.post(f"/simulations/payments/{created['id']}", {"status": "PAID"}).json()["data"]

    assert (paid["status"], paid["dueDate"]) == ("PAID", in_days(10))
    told = json.loads(bytes(Event.objects.get(object_id=created["id"]).body))
    assert (told["type"], told["data"]) == ("payment.paid", paid)
    receipt = api.get(f"/payments/{created['id']}/receipt").json()["data"]
    assert (receipt["method"], receipt["dueDate"]) == ("PIX", in_days(10))


def test_the_day_after_it_has_expired_and_cannot_be_paid(api: Api, acme: Shop, created: dict[str, Any]) -> None:
    at(api, created, seconds=-5)

    over = now(api, created)
    assert (over["status"], over["dueDate"], over["updatedAt"]) == ("EXPIRED", in_days(10), created["expiresAt"])
    late = api.post(f"/simulations/payments/{created['id']}", {"status": "PAID"})
    assert (late.status_code, late.json()["onpayCode"]) == (409, "ONP409_PAYMENT_STATE")
    assert now(api, created) == over
    assert used(api.get(f"/companies/{acme.company.id}/balance").json()["data"]["wallets"]) == []
