"""A company gives money back: all of it, a part of it, and in several parts."""

from typing import Any

import pytest

from gateway.refunds.due import run_due
from tests.support.api import Api
from tests.support.cards import book, lookup
from tests.support.companies import Shop
from tests.support.refunds import (
    ask,
    blocks,
    later,
    made,
    moment,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
    wallet,
)

pytestmark = pytest.mark.django_db


def test_a_refund_is_answered_with_exactly_the_record_of_the_contract(api: Api) -> None:
    payment = paid(api)

    answer = ask(api, payment, amount=50.00, reason="One of three items out of stock", reference="rf-1042-1")

    assert (answer.status_code, answer.json()["onpayCode"], answer.json()["onpayDescription"]) == (
        201,
        "ONP201",
        "Refund created.",
    )
    refund = answer.json()["data"]
    assert refund["id"].startswith("ref_")
    assert refund == {
        "id": refund["id"],
        "paymentId": payment,
        "reference": "rf-1042-1",
        "origin": "MERCHANT",
        "type": "PARTIAL",
        "status": "PROCESSING",
        "amount": 50.00,
        "currency": "BRL",
        "reason": "One of three items out of stock",
        "reasonCode": None,
        "payerStatement": None,
        "responseDueAt": None,
        "disputeKind": None,
        "claimId": None,
        "claimedAmount": None,
        "recoveredAmount": None,
        "analysisDueAt": None,
        "returnDueAt": None,
        "responses": [],
        "blockedAmount": 50.00,
        "endToEndId": None,
        "resolution": None,
        "createdAt": refund["createdAt"],
        "updatedAt": refund["createdAt"],
        "completedAt": None,
    }
    assert now(api, refund) == refund


def test_a_refund_on_its_way_is_blocked_and_not_yet_refunded(api: Api, acme: Shop) -> None:
    payment = paid(api)

    refund = refunded(api, payment, amount=50)

    assert wallet(acme) == (9850, 0, 5000)
    [(reason, amount, refund_id, until)] = blocks(api, acme)
    assert (reason, amount, refund_id) == ("REFUND_PROCESSING", 50.00, refund["id"])
    assert (moment(until) - moment(refund["createdAt"])).total_seconds() == 2
    looked_up = lookup(api, payment)
    assert (looked_up["status"], looked_up["refundedAmount"]) == ("PAID", 0)


@pytest.mark.parametrize("content", [b"{}", b"", b'{"amount": 150}', b'{"amount": 150.00}'])
def test_nothing_said_is_all_that_is_left(api: Api, acme: Shop, content: bytes) -> None:
    payment = paid(api)
    paid(api)

    refund = made(api.post(f"/payments/{payment}/refunds", raw=content))

    assert (refund["type"], refund["amount"], refund["reason"], refund["reference"]) == ("FULL", 150.00, None, None)
    assert wallet(acme) == (14_700, 0, 15_000)


def test_no_body_needs_no_content_type(api: Api) -> None:
    payment = paid(api)
    paid(api)
    key = "6f1c2c4e-0000-4000-8000-00000000000a"

    answer = api.request("POST", f"/payments/{payment}/refunds", HTTP_IDEMPOTENCY_KEY=key)

    assert (answer.status_code, answer.json()["data"]["type"]) == (201, "FULL")


def test_the_fee_is_not_given_back(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)

    refunded(api, payment)
    later(acme, seconds=3)
    assert run_due() == 1

    assert book(acme) == {"AVAILABLE PIX BRL": 14_700, "CLEARING PIX BRL": -15_000, "FEE_INCOME BRL": 300}
    looked_up = lookup(api, payment)
    assert (looked_up["status"], looked_up["refundedAmount"], looked_up["fee"]) == ("REFUNDED", 150.00, 1.50)


def test_several_refunds_are_one_payment_given_back(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)

    parts = [refunded(api, payment, amount=50), refunded(api, payment, amount=60), refunded(api, payment)]

    assert [(one["type"], one["amount"]) for one in parts] == [("PARTIAL", 50), ("PARTIAL", 60), ("FULL", 40)]
    assert wallet(acme) == (14_700, 0, 15_000)
    later(acme, seconds=3)
    assert run_due() == 3
    assert [now(api, one)["status"] for one in parts] == ["COMPLETED"] * 3
    assert (lookup(api, payment)["status"], wallet(acme)) == ("REFUNDED", (14_700, 0, 0))


def test_the_rest_is_full_also_after_a_part_was_completed(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    refunded(api, payment, amount=149.99)
    later(acme, seconds=3)
    run_due()

    refund = refunded(api, payment, amount=0.01)

    assert (refund["type"], refund["amount"]) == ("FULL", 0.01)


def test_the_refunds_of_a_payment_are_listed_newest_first(api: Api, acme: Shop) -> None:
    payment, other = paid(api), paid(api)
    refunded(api, other, amount=1)
    made_in_turn = []
    for amount in (10, 20, 30):
        made_in_turn.append(refunded(api, payment, amount=amount))
        later(acme, milliseconds=1)

    listed = api.get(f"/payments/{payment}/refunds").json()
    page = api.get(f"/payments/{payment}/refunds", pageSize=2, pageNumber=2).json()

    assert listed["data"] == made_in_turn[::-1]
    assert listed["pagination"] == {"pageNumber": 1, "pageSize": 20, "total": 3, "totalAvailable": 3}
    assert page["data"] == made_in_turn[:1]
    assert page["pagination"]["totalAvailable"] == 3
    assert refusal(api.get(f"/payments/{payment}/refunds", pageSize=101)) == (400, "ONP400_PAGINATION")


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"amount": "50.00"}, "ONP400_AMOUNT", "amount"),
        ({"amount": 0}, "ONP400_AMOUNT", "amount"),
        ({"amount": -1}, "ONP400_AMOUNT", "amount"),
        ({"amount": 50.001}, "ONP400_AMOUNT", "amount"),
        ({"amount": True}, "ONP400_AMOUNT", "amount"),
        ({"amount": [50]}, "ONP400_AMOUNT", "amount"),
        ({"reference": ""}, "ONP400_REFERENCE", "reference"),
        ({"reference": "x" * 129}, "ONP400_REFERENCE", "reference"),
        ({"reference": "a\nb"}, "ONP400_REFERENCE", "reference"),
        ({"reference": 1042}, "ONP400_REFERENCE", "reference"),
        ({"reason": "x" * 256}, "ONP400_VALIDATION", "reason"),
        ({"reason": 1}, "ONP400_VALIDATION", "reason"),
        ({"reason": "a\x00b"}, "ONP400_VALIDATION", "reason"),
        ({"destination": "maria@example.com"}, "ONP400_PIX_KEY", "destination"),
        ({"amount": 50, "unknown": [1]}, "ONP400_VALIDATION", "unknown"),
    ],
)
def test_a_wrong_member_is_named_and_nothing_moves(
    api: Api, acme: Shop, body: dict[str, Any], code: str, field: str
) -> None:
    payment = paid(api)

    with nothing_moves(acme):
        answer = ask(api, payment, **body)

    assert refusal(answer) == (400, code)
    assert answer.json()["error"]["field"] == field


def test_a_member_that_there_is_not_is_not_allowed(api: Api) -> None:
    answer = ask(api, paid(api), unknown=[1])

    assert [(one["field"], one["code"]) for one in answer.json()["error"]["fields"]] == [("unknown", "NOT_ALLOWED")]


@pytest.mark.parametrize("content", [b"[]", b"null", b"{", b'{"amount": NaN}', b'{"amount": 1, "amount": 2}'])
def test_what_is_no_object_is_refused_and_moves_nothing(api: Api, acme: Shop, content: bytes) -> None:
    payment = paid(api)

    with nothing_moves(acme):
        answer = api.post(f"/payments/{payment}/refunds", raw=content)

    assert refusal(answer) == (400, "ONP400_MALFORMED_JSON")
