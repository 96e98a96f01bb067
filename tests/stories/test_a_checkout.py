"""A Colombian order, from the shop over the checkout of the payer's bank and back, as the shop's developer sees it."""

import json
from urllib.parse import urlsplit

from django.test import Client

from tests.support.api import Api, used
from tests.support.companies import Shop
from tests.support.payments import a_reference
from webhooks.models import Event

BACK = "https://shop.example/thanks?cart=7#top"


def test_an_order_is_paid_in_the_checkout_and_the_payer_comes_back(api: Api, acme: Shop, globex_api: Api) -> None:
    order = {
        "method": "PSE", "amount": 150_000, "currency": "COP", "reference": a_reference(), "returnUrl": BACK,
        "payer": {"name": "Camila Rojas", "taxId": "1018760936"},
    }  # fmt: skip
    created = api.post("/payments", order).json()["data"]
    assert (created["status"], created["fee"], created["netAmount"]) == ("PENDING", 2985, 147_015)
    assert created["nextAction"]["type"] == "REDIRECT"
    assert created["nextAction"]["expiresAt"] == created["expiresAt"]

    checkout = urlsplit(created["nextAction"]["redirectUrl"]).path
    page = Client().get(checkout, headers={"accept-language": "es-CO"})
    assert page.status_code == 200
    assert "$\xa0150.000" in page.content.decode()
    answers = {"choice": "pay", "bank": "SANDBOX", "person": "NATURAL", "email": "camila@example.com"}
    chosen = Client().post(checkout, answers)
    assert (chosen.status_code, chosen["Location"]) == (303, checkout)
    over = Client().get(checkout, headers={"accept-language": "es-CO"}).content.decode()
    assert f'href="https://shop.example/thanks?cart=7&amp;paymentId={created["id"]}#top"' in over

    paid = api.get(f"/payments/{created['id']}").json()["data"]
    assert (paid["status"], "nextAction" in paid) == ("PAID", False)
    told = [json.loads(bytes(event.body)) for event in Event.objects.order_by("occurred_at", "created_at", "id")]
    assert [event["type"] for event in told] == ["payment.updated", "payment.paid"]
    assert [event["data"] for event in told] == [created, paid]
    [wallet] = used(api.get(f"/companies/{acme.company.id}/balance").json()["data"]["wallets"])
    assert (wallet["method"], wallet["currency"], wallet["available"]) == ("BANK_TRANSFER", "COP", 147_015)
    assert globex_api.get(f"/payments/{created['id']}").status_code == 404


def test_a_slow_and_held_up_order_is_paid_in_the_end(api: Api) -> None:
    order = {
        "method": "NEQUI", "amount": 150_915, "currency": "COP", "reference": a_reference(),
        "payer": {"name": "Camila Rojas", "taxId": "1018760936", "phone": "3001234567"},
    }  # fmt: skip
    held = api.post("/payments", order).json()["data"]
    assert (held["status"], "nextAction" in held) == ("ACTION_REQUIRED", False)

    api.post("/simulations/clock", {"advanceBy": "PT1M"})
    cleared = api.get(f"/payments/{held['id']}").json()["data"]
    Client().post(urlsplit(cleared["nextAction"]["redirectUrl"]).path, {"choice": "pay"})

    assert cleared["status"] == "PENDING"
    assert api.get(f"/payments/{held['id']}").json()["data"]["status"] == "PAID"
    types = list(Event.objects.order_by("occurred_at", "created_at", "id").values_list("type", flat=True))
    assert types == ["payment.updated", "payment.paid"]
