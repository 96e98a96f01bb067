"""Saved cards: a token that an enabled integration holds is charged when the payment is created."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest

from gateway.customers.models import Customer
from gateway.payments.due import EXPIRY, QUESTION
from gateway.payments.models import OPEN, Payment
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import (
    DAY_S,
    SECRETS,
    Session,
    alone,
    book,
    browser,
    events,
    lookup,
    opened,
    order,
    refusal,
    told,
    wait,
)
from tests.support.companies import Shop
from tests.support.payments import pix

METHODS = pytest.mark.parametrize("method", ["CREDIT_CARD", "DEBIT_CARD"])
REFUSALS = [
    ("pmt_sandbox_refused", "CARD_REFUSED"),
    ("pmt_sandbox_insufficient_funds", "INSUFFICIENT_FUNDS"),
    ("pmt_sandbox_expired_card", "EXPIRED_CARD"),
]
UNKNOWN = ["pmt_sandbox_production", "pmt_live_x", "pmt_sandbox_APPROVED", "x", " pmt_sandbox_approved", "cat_x"]


def stored(method: str = "CREDIT_CARD", token: Any = "pmt_sandbox_approved", **members: Any) -> dict[str, Any]:
    return order(method, **({"paymentMethodToken": token, "returnUrl": None} | members))


def nothing_was_made() -> bool:
    return (Payment.objects.count(), Customer.objects.count(), Transfer.objects.count()) == (0, 0, 0)


@METHODS
def test_an_approved_card_is_paid_at_once(api: Api, acme: Shop, method: str) -> None:
    body, key = stored(method), str(uuid.uuid4())

    answer = api.post("/payments", body, key=key)

    assert (answer.status_code, answer.json()["onpayCode"]) == (201, "ONP201")
    paid = answer.json()["data"]
    assert (paid["status"], paid["method"]) == ("PAID", method)
    assert not {"nextAction", "expiresAt", "warnings", "paymentMethodToken"} & set(paid)
    assert "pmt_sandbox" not in answer.content.decode()
    assert lookup(api, paid["id"]) == paid
    assert told(acme) == ["authorized", "paid"]
    assert events(acme)[-1]["data"] == paid
    assert api.post("/payments", body, key=key).content == answer.content
    assert Transfer.objects.count() == 1


@METHODS
def test_an_authorized_card_is_paid_a_minute_later(api: Api, acme: Shop, method: str) -> None:
    answer = api.post("/payments", stored(method, "pmt_sandbox_authorized"))
    payment = answer.json()["data"]
    assert (answer.status_code, payment["status"], payment["paidAt"]) == (201, "AUTHORIZED", None)
    assert (told(acme), book(acme)) == (["authorized"], {})

    assert wait(api, 58) == []
    assert wait(api, 2) == ["payment.answered"]

    paid = lookup(api, payment["id"])
    assert paid["status"] == "PAID"
    after = datetime.fromisoformat(paid["paidAt"]) - datetime.fromisoformat(payment["createdAt"])
    assert after == timedelta(seconds=60)
    assert told(acme) == ["authorized", "paid"]
    assert wait(api, 8 * DAY_S) == []


def test_what_is_not_captured_in_seven_days_expires(api: Api, acme: Shop) -> None:
    payment = api.post("/payments", stored(token="pmt_sandbox_authorized")).json()["data"]
    acme.sandbox.clock_offset += timedelta(days=7)
    acme.sandbox.save()

    assert EXPIRY.sweep() == 1

    over = lookup(api, payment["id"])
    assert (over["status"], over["paidAt"]) == ("EXPIRED", None)
    lived = datetime.fromisoformat(over["updatedAt"]) - datetime.fromisoformat(payment["createdAt"])
    assert lived == timedelta(days=7)
    assert (QUESTION.sweep(), EXPIRY.sweep()) == (0, 0)
    assert (told(acme), book(acme)) == (["authorized", "expired"], {})


@METHODS
@pytest.mark.parametrize(("token", "code"), REFUSALS)
def test_a_refused_card_is_said_at_creation(api: Api, acme: Shop, method: str, token: str, code: str) -> None:
    body, key = stored(method, token), str(uuid.uuid4())

    refused = api.post("/payments", body, key=key)

    assert refusal(refused) == (422, f"ONP422_{method}_REJECTED")
    kept = lookup(api, refused.json()["error"]["paymentId"])
    assert (kept["status"], kept["failure"]["code"]) == ("FAILED", code)
    assert (told(acme), book(acme)) == (["failed"], {})
    assert api.post("/payments", body, key=key).content == refused.content
    assert api.post("/payments", stored(method, reference=body["reference"])).status_code == 201


@METHODS
def test_an_issuer_that_does_not_answer_leaves_it_pending_for_a_day(api: Api, acme: Shop, method: str) -> None:
    answer = api.post("/payments", stored(method, "pmt_sandbox_timeout"))
    payment = answer.json()["data"]
    assert (answer.status_code, payment["status"], "nextAction" in payment) == (201, "PENDING", False)

    assert wait(api, DAY_S - 60) == []
    assert lookup(api, payment["id"]) == payment
    assert wait(api, 60) == ["payment.expired"]

    assert lookup(api, payment["id"])["status"] == "EXPIRED"
    assert (told(acme), book(acme)) == (["expired"], {})


@METHODS
@pytest.mark.parametrize(("decision", "status"), [("approve", "PAID"), ("refuse", "FAILED")])
def test_a_holder_may_have_to_confirm(api: Api, acme: Shop, method: str, decision: str, status: str) -> None:
    answer = api.post("/payments", order(method, paymentMethodToken="pmt_sandbox_3ds"))
    assert (answer.status_code, answer.json()["onpayCode"]) == (202, "ONP202_3DS")
    session = Session(answer.json()["data"])
    assert session.payment["status"] == "ACTION_REQUIRED"
    assert set(SECRETS) <= set(session.payment["nextAction"])
    assert session.call("session").json()["needsCard"] is False

    asked = session.call("confirm", {}).json()

    assert list(asked) == ["threeDs"]
    with alone():
        browser().post(asked["threeDs"]["challengeUrl"], {"decision": decision})
    assert lookup(api, session)["status"] == status
    assert told(acme) == ["action_required", *(["authorized", "paid"] if status == "PAID" else ["failed"])]


@METHODS
def test_a_holder_who_cannot_come_back_is_not_asked(api: Api, acme: Shop, method: str) -> None:
    answer = api.post("/payments", stored(method, "pmt_sandbox_3ds"))

    assert (*refusal(answer), answer.json()["error"]["field"]) == (400, "ONP400_RETURN_URL", "returnUrl")
    assert nothing_was_made()
    assert told(acme) == []


def test_a_debit_card_is_charged_as_one(api: Api, acme: Shop) -> None:
    paid = api.post("/payments", stored(token="pmt_sandbox_debit")).json()["data"]

    assert (paid["status"], paid["method"], paid["amount"]) == ("PAID", "DEBIT_CARD", 200.00)
    assert (paid["fee"], paid["netAmount"], paid["settlementDays"]) == (3.98, 196.02, 1)
    [warning] = paid["warnings"]
    assert (warning["requestedMethod"], warning["processedMethod"]) == ("CREDIT_CARD", "DEBIT_CARD")
    assert all(event["data"]["warnings"] == [warning] for event in events(acme))
    same = api.post("/payments", stored("DEBIT_CARD", "pmt_sandbox_debit")).json()["data"]
    assert (same["method"], "warnings" in same) == ("DEBIT_CARD", False)


@METHODS
@pytest.mark.parametrize("token", UNKNOWN)
def test_a_token_that_nobody_holds_is_refused(api: Api, method: str, token: str) -> None:
    answer = api.post("/payments", stored(method, token))

    assert refusal(answer) == (422, f"ONP422_{method}_PAYMENT_METHOD_TOKEN_INVALID")
    assert nothing_was_made()


@METHODS
@pytest.mark.parametrize("token", ["pmt_sandbox_approved", "pmt_sandbox_production", "x"])
def test_a_company_that_is_not_enabled_has_no_stored_cards(api: Api, acme: Shop, method: str, token: str) -> None:
    acme.sandbox.card_tokens_enabled = False
    acme.sandbox.save()

    assert refusal(api.post("/payments", stored(method, token))) == (403, "ONP403_TOKENS_NOT_ENABLED")
    assert nothing_was_made()
    opened(api, method)


def test_other_methods_have_no_stored_cards(api: Api) -> None:
    answer = api.post("/payments", pix(paymentMethodToken="pmt_sandbox_approved"))

    assert refusal(answer) == (400, "ONP400_PAYMENT_METHOD_TOKEN")
    assert answer.json()["error"]["field"] == "paymentMethodToken"
    assert nothing_was_made()


@pytest.mark.parametrize("token", ["", 7, True, {"token": "x"}, ["x"], "x" * 256])
def test_what_is_no_token_at_all_is_refused(api: Api, token: Any) -> None:
    answer = api.post("/payments", order(paymentMethodToken=token))

    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["code"] in (
        "ONP400_PAYMENT_METHOD_TOKEN",
        "ONP422_CREDIT_CARD_PAYMENT_METHOD_TOKEN_INVALID",
    )
    assert nothing_was_made()


@pytest.mark.parametrize(("amount", "seconds"), [(914, 10), (915, 60)])
def test_a_charge_that_was_put_off_is_captured_too(api: Api, acme: Shop, amount: int, seconds: int) -> None:
    answer = api.post("/payments", stored(amount=amount))
    assert (answer.status_code, book(acme)) == (201, {})

    wait(api, seconds)

    assert lookup(api, answer.json()["data"]["id"])["status"] == "PAID"
    assert told(acme)[-2:] == ["authorized", "paid"]


@pytest.mark.parametrize("amount", [912, 913])
def test_a_charge_that_got_no_answer_happens_once(api: Api, acme: Shop, amount: int) -> None:
    body, key = stored(amount=amount), str(uuid.uuid4())
    assert api.post("/payments", body, key=key).status_code in (502, 503)

    answers = [api.post("/payments", body, key=key) for _ in range(3)]

    assert {answer.json()["data"]["status"] for answer in answers} == {"PAID"}
    assert (Payment.objects.count(), Transfer.objects.count()) == (1, 1)
    assert told(acme) == ["authorized", "paid"]


@pytest.mark.parametrize("amount", [912, 913, 914, 915])
def test_a_holder_who_cannot_come_back_is_not_asked_later_either(api: Api, acme: Shop, amount: int) -> None:
    body, key = stored(token="pmt_sandbox_3ds", amount=amount), str(uuid.uuid4())

    answers = [api.post("/payments", body, key=key) for _ in range(2)]
    wait(api, 61)

    assert Payment.objects.filter(status__in=OPEN).count() == 0, [answer.status_code for answer in answers]
    assert "action_required" not in told(acme)
    assert book(acme) == {}
