"""A card is saved with a payment, charged again by its token, and removed: lived through in the sandbox."""

from typing import Any

import pytest

from accounts.models import Company
from accounts.services import issue_key
from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.saved_cards.models import SavedCard
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import (
    CHALLENGE,
    REFUSED,
    Session,
    browser,
    events,
    opened,
    order,
    outcome,
    refusal,
    told,
    wait,
)
from tests.support.companies import Shop
from tests.support.payments import MARIA, pix
from tests.support.saved_cards import cards, charged, removed, saved

JOSE = {"name": "José Araújo", "taxId": "11144477735"}


def test_a_card_is_saved_charged_again_and_removed(api: Api, acme: Shop) -> None:
    card = saved(api)
    assert {name: card[name] for name in ("type", "status", "brand", "last4", "funding", "expMonth", "expYear")} == {
        "type": "CARD", "status": "ACTIVE", "brand": "visa", "last4": "4242", "funding": "credit",
        "expMonth": 12, "expYear": 2040,
    }  # fmt: skip

    paid = charged(api, card["id"])

    assert (paid.status_code, paid.json()["data"]["status"]) == (201, "PAID")
    assert card["id"] not in paid.content.decode()
    transfers = Transfer.objects.count()
    assert removed(api, card).json()["data"] == {"id": card["id"], "deleted": True}
    assert cards(api, card["customerId"]) == []
    assert refusal(charged(api, card["id"])) == (422, "ONP422_CREDIT_CARD_PAYMENT_METHOD_TOKEN_INVALID")
    assert refusal(removed(api, card)) == (404, "ONP404_SAVED_CARD")
    assert Transfer.objects.count() == transfers
    about = [event for event in events(acme) if event["type"].startswith("payment_method.")]
    assert [event["type"] for event in about] == ["payment_method.saved", "payment_method.removed"]
    assert [event["data"]["status"] for event in about] == ["ACTIVE", "REMOVED"]
    assert "removalUrl" not in about[0]["data"]


def test_a_key_that_may_only_read_customers_gets_no_link_that_removes_cards(api: Api, acme: Shop) -> None:
    card = saved(api)
    _, reading = issue_key(acme.sandbox, permissions=["customers:read"])

    assert refusal(removed(Api(reading), card)) == (403, "ONP403")
    assert cards(Api(reading), card["customerId"]) == [
        {name: value for name, value in card.items() if name != "removalUrl"}
    ]
    assert cards(api, card["customerId"]) == [card]


def test_the_same_card_is_saved_once(api: Api) -> None:
    assert saved(api)["id"] == saved(api)["id"]
    assert SavedCard.objects.count() == 1


def test_only_a_card_that_was_authorized_is_saved(api: Api, acme: Shop) -> None:
    session = opened(api, savePaymentMethod=True)
    assert outcome(session.pay(REFUSED)) == (200, "CARD_REFUSED")
    opened(api, savePaymentMethod=True)
    assert outcome(opened(api).pay()) == (200, "PAID")

    assert SavedCard.objects.count() == 0
    assert "saved" not in str(told(acme))


def test_a_card_whose_holder_had_to_confirm_asks_them_again(api: Api) -> None:
    session = opened(api, savePaymentMethod=True)
    asked = session.pay(CHALLENGE).json()["threeDs"]["challengeUrl"]
    browser().post(asked, {"decision": "approve"})
    [card] = cards(api, session.payment["customer"]["id"])

    assert refusal(charged(api, card["id"])) == (400, "ONP400_RETURN_URL")
    again = api.post("/payments", order(paymentMethodToken=card["id"]))

    assert (again.status_code, again.json()["onpayCode"]) == (202, "ONP202_3DS")
    assert Session(again.json()["data"]).call("session").json()["needsCard"] is False


def test_a_saved_debit_card_is_charged_as_one(api: Api) -> None:
    session = opened(api, "DEBIT_CARD", savePaymentMethod=True)
    assert outcome(session.pay()) == (200, "PAID")
    [card] = cards(api, session.payment["customer"]["id"])

    paid = charged(api, card["id"]).json()["data"]

    assert (card["funding"], paid["method"], paid["fee"]) == ("debit", "DEBIT_CARD", 3.98)


def test_nobody_else_can_use_see_or_remove_a_card(api: Api, acme: Shop, globex: Shop) -> None:
    card = saved(api)
    Company.objects.filter(pk=acme.company.pk).update(status="ACTIVE")
    theirs, live = Api(globex.sandbox_key), Api(acme.production_key)
    payments = Payment.objects.count()

    answers = [
        charged(theirs, card["id"]),
        charged(api, card["id"], payer=JOSE),
        charged(api, card["id"].lower()),
        charged(api, "pmt_01KAGTW3Q8XJ5V0N2B7R4C9CRD"),
    ]

    code = "ONP422_CREDIT_CARD_PAYMENT_METHOD_TOKEN_INVALID"
    assert [refusal(answer) for answer in answers] == [(422, code)] * len(answers)
    told_why = {(body["message"], body.get("field")) for body in (answer.json()["error"] for answer in answers)}
    assert len(told_why) == 1, "nothing tells one from another"
    for stranger in (theirs, live):
        assert refusal(stranger.get(f"/customers/{card['customerId']}/payment-methods")) == (404, "ONP404_CUSTOMER")
        assert refusal(removed(stranger, card)) == (404, "ONP404_SAVED_CARD")
    other = saved(api, payer=JOSE)
    assert refusal(removed(api, card | {"customerId": other["customerId"]})) == (404, "ONP404_SAVED_CARD")
    assert [one["id"] for one in cards(api, card["customerId"])] == [card["id"]]
    assert Payment.objects.count() == payments + 1
    assert Customer.objects.filter(merchant=globex.sandbox).count() == 0


def test_an_expired_card_is_refused_like_an_unknown_one(api: Api, acme: Shop) -> None:
    card = saved(api)
    SavedCard.objects.update(exp_year=2020)

    assert refusal(charged(api, card["id"])) == (422, "ONP422_CREDIT_CARD_PAYMENT_METHOD_TOKEN_INVALID")
    assert Payment.objects.count() == 1


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"savePaymentMethod": "yes"}, "savePaymentMethod"),
        ({"savePaymentMethod": True, "paymentMethodToken": "pmt_sandbox_approved"}, "savePaymentMethod"),
        ({"savePaymentMethod": True, "payer": {"name": "Maria Silva"}, "currency": "USD"}, "payer.email"),
    ],
)
def test_what_cannot_be_saved_is_refused(api: Api, members: dict[str, Any], field: str) -> None:
    answer = api.post("/payments", order(**members))

    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert Payment.objects.count() == 0


def test_only_cards_of_enabled_companies_are_saved(api: Api, acme: Shop) -> None:
    assert api.post("/payments", pix(savePaymentMethod=True)).json()["error"]["field"] == "savePaymentMethod"
    acme.sandbox.card_tokens_enabled = False
    acme.sandbox.save()

    assert refusal(api.post("/payments", order(savePaymentMethod=True))) == (403, "ONP403_TOKENS_NOT_ENABLED")
    assert (Payment.objects.count(), wait(api, 1)) == (0, [])


def test_the_payer_of_a_saved_card_keeps_their_name(api: Api) -> None:
    """A refused token leaves no trace of the payer that the request named."""
    card = saved(api)

    charged(api, "pmt_unknown", payer=MARIA | {"name": "Somebody Else"})

    assert Customer.objects.get(pk=card["customerId"]).name == MARIA["name"]
