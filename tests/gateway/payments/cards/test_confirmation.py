"""One confirmation decides: each test card ends as the table says, and nothing changes it after."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from gateway.methods.card.models import CardToken
from gateway.payments.models import Payment
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import (
    APPROVED,
    DAY_S,
    SECRETS,
    TIMEOUT,
    Session,
    book,
    browser,
    events,
    lookup,
    opened,
    outcome,
    told,
    wait,
)
from tests.support.companies import Shop

METHODS = pytest.mark.parametrize("method", ["CREDIT_CARD", "DEBIT_CARD"])
REFUSALS = [
    ("4000000000000002", "CARD_REFUSED"),
    ("4000000000009995", "INSUFFICIENT_FUNDS"),
    ("4000000000000069", "EXPIRED_CARD"),
    ("4000000000000127", "INVALID_CVV"),
    ("5555555555554444", "TEST_CARD_UNKNOWN"),
    ("4111111111111111", "TEST_CARD_UNKNOWN"),
    ("4012888888881881", "TEST_CARD_UNKNOWN"),
    ("6011111111111117", "TEST_CARD_UNKNOWN"),
    ("30569309025904", "TEST_CARD_UNKNOWN"),
]


def nothing_changes_it(api: Api, shop: Shop, session: Session, token: str) -> bool:
    """Whether another confirmation only tells how it ended; neither do the sweeps of a day move anything."""
    before = lookup(api, session), told(shop), book(shop)
    assert session.confirm(token).json()["payment"] == {"id": session.id, "status": before[0]["status"]}
    assert wait(api, DAY_S - 3600) == []
    assert not CardToken.objects.filter(used_at=None).exclude(digest=_digest(token)).exists()
    return (lookup(api, session), told(shop), book(shop)) == before


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()


@METHODS
def test_an_approved_card_is_authorized_and_then_paid(api: Api, acme: Shop, method: str) -> None:
    session = opened(api, method)
    spare = session.token()

    answer = session.pay(APPROVED)

    assert (answer.status_code, answer.json()) == (200, {"payment": {"id": session.id, "status": "PAID"}})
    paid = lookup(api, session)
    changed = {"status", "paidAt", "releaseAt", "updatedAt"}
    kept = {name: value for name, value in session.payment.items() if name not in changed | {"nextAction"}}
    assert {name: value for name, value in paid.items() if name not in changed} == kept
    assert paid["status"] == "PAID"
    assert paid["paidAt"] == paid["updatedAt"]
    _asked, authorized, announced = events(acme)
    assert (authorized["type"], announced["type"]) == ("payment.authorized", "payment.paid")
    assert (authorized["data"]["status"], authorized["data"]["paidAt"]) == ("AUTHORIZED", None)
    assert announced["data"] == paid
    assert Transfer.objects.count() == 1
    assert nothing_changes_it(api, acme, session, spare)


@pytest.mark.a_third_a_day
@METHODS
@pytest.mark.parametrize(("number", "code"), REFUSALS)
def test_a_refused_card_ends_the_payment(api: Api, acme: Shop, method: str, number: str, code: str) -> None:
    session = opened(api, method)
    spare = session.token(APPROVED)

    answer = session.pay(number)

    assert outcome(answer) == (200, code)
    failed = lookup(api, session)
    assert (failed["status"], failed["failure"]["code"], failed["paidAt"]) == ("FAILED", code, None)
    assert failed["failure"]["message"] == answer.json()["error"]["message"]
    assert not {"nextAction", "warnings", "settlement"} & set(failed)
    assert told(acme) == ["action_required", "failed"]
    assert events(acme)[-1]["data"] == failed
    assert (Transfer.objects.count(), book(acme)) == (0, {})
    assert nothing_changes_it(api, acme, session, spare)


def test_after_a_refusal_the_order_is_paid_by_a_new_payment(api: Api) -> None:
    session = opened(api, reference="order-9")
    session.pay("4000000000000002")

    again = opened(api, reference="order-9")

    assert again.id != session.id
    assert outcome(again.pay()) == (200, "PAID")


@METHODS
def test_an_issuer_that_does_not_answer_leaves_it_pending_for_a_day(api: Api, acme: Shop, method: str) -> None:
    session = opened(api, method)
    wait(api, 20 * 60)
    token = session.token(TIMEOUT)
    spare = session.token(APPROVED)

    assert outcome(session.confirm(token)) == (200, "PENDING")

    pending = lookup(api, session)
    assert (pending["status"], "nextAction" in pending, pending["paidAt"]) == ("PENDING", False, None)
    assert told(acme) == ["action_required", "updated"]
    assert events(acme)[-1]["data"] == pending
    assert outcome(session.confirm(spare)) == (200, "PENDING")  # told again, not charged
    assert wait(api, DAY_S - 60) == []
    assert lookup(api, session) == pending
    assert wait(api, 60) == ["payment.expired"]

    over = lookup(api, session)
    assert over["status"] == "EXPIRED"
    lasted = datetime.fromisoformat(over["updatedAt"]) - datetime.fromisoformat(pending["updatedAt"])
    assert lasted == timedelta(hours=24)
    assert told(acme) == ["action_required", "updated", "expired"]
    assert book(acme) == {}


def test_a_return_to_the_shop_confirms_nothing(api: Api, acme: Shop) -> None:
    session = opened(api)
    told_before = told(acme)
    asked = {"paymentId": session.id, "status": "PAID", "decision": "approve", "cardToken": session.token()}
    for path in ("/thanks", session.page, f"/sdk/v1/fields/{session.id}/cardNumber", "/sdk/v1/confirm"):
        browser().get(path, asked)

    assert lookup(api, session) == session.payment
    assert told(acme) == told_before


def test_an_event_after_confirmation_has_no_secrets(api: Api, acme: Shop) -> None:
    for number in (APPROVED, TIMEOUT, "4000000000003220", "4000000000000002"):
        session = opened(api)
        session.pay(number)

    said = str(events(acme))
    assert [word for word in (*SECRETS, "_secret_", "cat_", "4242424242424242") if word in said] == []


@pytest.mark.django_db(transaction=True)  # what was refused is undone before it is asked where the payment lives
def test_the_session_cannot_be_stretched_by_a_refused_try(api: Api) -> None:
    session = opened(api)
    for _ in range(3):
        assert outcome(session.confirm("cat_no")) == (400, "CARD_TOKEN_INVALID")

    assert lookup(api, session) == session.payment
    wait(api, 1800)
    assert lookup(api, session)["status"] == "EXPIRED"


def test_globex_sees_nothing_of_it(api: Api, globex_api: Api, globex: Shop) -> None:
    session = opened(api)
    session.pay()

    assert globex_api.get(f"/payments/{session.id}").status_code == 404
    assert globex_api.get("/payments").json()["data"] == []
    assert (events(globex), book(globex)) == ([], {})


def test_the_clock_of_the_company_dates_what_happens(api: Api) -> None:
    session = opened(api)
    wait(api, 1000)

    session.pay()

    payment: Any = lookup(api, session)
    later = datetime.fromisoformat(payment["paidAt"]) - datetime.fromisoformat(payment["createdAt"])
    assert timedelta(seconds=1000) <= later < timedelta(seconds=1030)
    assert Payment.objects.get().release_at == Payment.objects.get().paid_at + timedelta(days=30)
