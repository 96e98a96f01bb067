"""The magic amounts, as a card payment plays them, and the end of a session that nobody uses."""

import uuid
from datetime import datetime, timedelta

import pytest

from gateway.payments.models import Payment
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import SECRETS, Session, events, lookup, opened, order, outcome, refusal, told, wait
from tests.support.companies import Shop

METHODS = pytest.mark.parametrize("method", ["CREDIT_CARD", "DEBIT_CARD"])


@METHODS
def test_911_is_refused_for_good_and_the_reference_is_free_again(api: Api, acme: Shop, method: str) -> None:
    body, key = order(method, amount=1911), str(uuid.uuid4())

    refused = api.post("/payments", body, key=key)

    assert refusal(refused) == (422, f"ONP422_{method}_REJECTED")
    kept = lookup(api, refused.json()["error"]["paymentId"])
    assert (kept["status"], kept["failure"]["code"], "nextAction" in kept) == ("FAILED", "ACQUIRER_REFUSED", False)
    assert told(acme) == ["failed"]
    assert api.post("/payments", body, key=key).content == refused.content
    assert opened(api, method, reference=body["reference"]).id != kept["id"]
    assert Transfer.objects.count() == 0


@METHODS
@pytest.mark.parametrize(
    ("tail", "status", "code"),
    [(912, 502, "ONP502_{}_INVALID_RESPONSE"), (913, 503, "ONP503_{}_TEMPORARILY_UNAVAILABLE")],
)
def test_912_and_913_fail_once_and_the_same_call_goes_on(
    api: Api, acme: Shop, method: str, tail: int, status: int, code: str
) -> None:
    body, key = order(method, amount=tail), str(uuid.uuid4())

    failed = api.post("/payments", body, key=key)
    assert refusal(failed) == (status, code.format(method))
    payment_id = failed.json()["error"]["paymentId"]
    waiting = lookup(api, payment_id)
    assert (waiting["status"], "nextAction" in waiting, told(acme)) == ("PENDING", False, [])

    done = api.post("/payments", body, key=key)
    assert (done.status_code, done.json()["onpayCode"], done.json()["data"]["id"]) == (202, "ONP202_3DS", payment_id)
    assert lookup(api, payment_id) == done.json()["data"]
    assert told(acme) == ["action_required"]
    assert outcome(Session(done.json()["data"]).pay()) == (200, "PAID")
    assert Payment.objects.count() == 1


@METHODS
def test_914_has_its_session_ten_seconds_later(api: Api, acme: Shop, method: str) -> None:
    answer = api.post("/payments", order(method, amount=914))
    payment = answer.json()["data"]
    assert (answer.status_code, answer.json()["onpayCode"]) == (201, "ONP201")
    assert (payment["status"], "nextAction" in payment, told(acme)) == ("PENDING", False, [])

    assert wait(api, 8) == []
    assert lookup(api, payment["id"]) == payment
    assert wait(api, 2) == ["payment.answered"]

    ready = lookup(api, payment["id"])
    assert (ready["status"], set(SECRETS) <= set(ready["nextAction"])) == ("ACTION_REQUIRED", True)
    [event] = events(acme)
    assert event["type"] == "payment.action_required"
    assert not set(SECRETS) & set(event["data"]["nextAction"])
    assert outcome(Session(ready).pay()) == (200, "PAID")


@METHODS
def test_915_is_reviewed_for_a_minute_and_its_session_follows(api: Api, acme: Shop, method: str) -> None:
    answer = api.post("/payments", order(method, amount=1915))
    payment = answer.json()["data"]
    assert (answer.status_code, answer.json()["onpayCode"]) == (201, "ONP201")
    assert (payment["status"], "nextAction" in payment, told(acme)) == ("ACTION_REQUIRED", False, [])

    assert wait(api, 58) == []
    assert wait(api, 2) == ["payment.answered", "payment.answered"]

    assert told(acme) == ["updated", "action_required"]
    cleared, asked = events(acme)
    assert (cleared["data"]["status"], "nextAction" in cleared["data"]) == ("PENDING", False)
    assert asked["data"]["status"] == "ACTION_REQUIRED"
    assert outcome(Session(lookup(api, payment["id"])).pay()) == (200, "PAID")


@METHODS
def test_916_is_hosted(api: Api, method: str) -> None:
    assert opened(api, method, amount=916).payment["nextAction"]["integrationMode"] == "HOSTED"
    assert opened(api, method, amount=917).payment["nextAction"]["integrationMode"] == "SECURE_FIELDS"


@METHODS
def test_918_is_typed_again_for_another_acquirer(api: Api, acme: Shop, method: str) -> None:
    session = opened(api, method, amount=918)

    answer = session.pay()

    again = Session(lookup(api, session))
    assert answer.json() == {"session": {"clientSecret": again.secret}}
    assert (again.payment["status"], again.payment["nextAction"]["expiresAt"]) == (
        "ACTION_REQUIRED",
        session.payment["nextAction"]["expiresAt"],
    )
    assert again.secret != session.secret
    assert session.confirm("cat_of_the_former_fields").json() == answer.json()
    assert outcome(again.pay()) == (200, "PAID")
    assert told(acme) == ["action_required", "action_required", "authorized", "paid"]


def test_a_session_that_nobody_uses_expires_after_half_an_hour(api: Api, acme: Shop) -> None:
    session = opened(api)
    token = session.token()
    assert wait(api, 29 * 60) == []
    assert session.call("session").status_code == 200

    assert wait(api, 60) == ["payment.expired"]

    ended = lookup(api, session)
    assert (ended["status"], "nextAction" in ended) == ("EXPIRED", False)
    created, over = (datetime.fromisoformat(ended[name]) for name in ("createdAt", "updatedAt"))
    assert over - created == timedelta(minutes=30)
    assert told(acme) == ["action_required", "expired"]
    assert outcome(session.confirm(token)) == (401, "SESSION_INVALID")
    assert lookup(api, session) == ended
    assert Transfer.objects.count() == 0
