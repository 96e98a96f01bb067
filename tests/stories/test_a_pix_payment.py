"""The whole way of a PIX payment, as a merchant's developer goes it."""

import json

from tests.support.api import Api, used
from tests.support.companies import Shop
from tests.support.payments import pix
from webhooks.models import Event


def test_a_payment_is_created_paid_announced_and_in_the_balance(api: Api, acme: Shop) -> None:
    created = api.post("/payments", pix(reference="order-1042")).json()["data"]
    assert created["status"] == "PENDING"
    assert (created["amount"], created["fee"], created["netAmount"]) == (150.00, 1.50, 148.50)

    paid = api.post(f"/simulations/payments/{created['id']}", {"status": "PAID"}).json()["data"]
    assert paid["status"] == "PAID"

    balance = api.get(f"/companies/{acme.company.id}/balance").json()["data"]
    assert used(balance["wallets"]) == [
        {"method": "PIX", "currency": "BRL", "available": 148.50, "releasing": 0, "blocked": 0, "total": 148.50}
    ]
    assert api.get(f"/payments/{created['id']}").json()["data"] == paid
    event = Event.objects.get(object_id=created["id"])
    assert event.type == "payment.paid"
    assert json.loads(bytes(event.body))["data"] == paid
