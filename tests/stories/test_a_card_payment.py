"""The whole way of a card payment, as a shop's developer and a payer go it."""

import json

from tests.support.api import Api, used
from tests.support.cards import CHALLENGE, SECRETS, alone, browser, lookup, opened, outcome, told
from tests.support.companies import Shop
from webhooks.models import Event


def test_a_card_is_typed_confirmed_announced_and_in_the_balance(
    api: Api, acme: Shop, globex_api: Api, globex: Shop
) -> None:
    session = opened(api, reference="order-1043")
    assert session.payment["status"] == "ACTION_REQUIRED"
    assert (session.payment["fee"], session.payment["netAmount"], session.payment["settlementDays"]) == (
        7.98,
        192.02,
        30,
    )

    assert outcome(session.type("4242424242424241")) == (400, "INVALID_NUMBER")
    typed = session.type(CHALLENGE, "902")
    assert typed.json()["card"] == {"brand": "visa", "last4": "3220"}
    asked = session.confirm(typed.json()["cardToken"]).json()["threeDs"]["challengeUrl"]
    assert browser().get(asked).status_code == 200
    assert lookup(api, session)["status"] == "ACTION_REQUIRED"
    with alone():
        browser().post(asked, {"decision": "approve"})

    paid = lookup(api, session)
    assert (paid["status"], paid["method"], paid["amount"], paid["reference"]) == (
        "PAID",
        "DEBIT_CARD",
        200.00,
        "order-1043",
    )
    assert (paid["fee"], paid["netAmount"], paid["settlementDays"]) == (3.98, 196.02, 1)
    assert paid["warnings"][0]["code"] == "ONP_CARD_METHOD_CORRECTED"
    balance = api.get(f"/companies/{acme.company.id}/balance").json()["data"]
    assert used(balance["wallets"]) == [
        {"method": "PIX", "currency": "BRL", "available": 0, "releasing": 196.02, "blocked": 0, "total": 196.02}
    ]
    assert told(acme) == ["action_required", "authorized", "paid"]
    event = Event.objects.get(object_id=session.id, type="payment.paid")
    assert json.loads(bytes(event.body))["data"] == paid
    assert not any(name in bytes(one.body).decode() for one in Event.objects.all() for name in SECRETS)
    assert outcome(session.call("session")) == (401, "SESSION_INVALID")
    assert globex_api.get(f"/payments/{session.id}").status_code == 404
    assert (told(globex), globex_api.get("/payments").json()["data"]) == ([], [])
