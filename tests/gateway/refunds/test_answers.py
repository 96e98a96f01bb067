"""The company's answer to a payer who wants money back: once, in time, and only where one is asked for."""

from typing import Any

import pytest

from gateway.refunds import services
from gateway.refunds.due import run_due
from gateway.refunds.lifecycle import RefundAction
from tests.support.api import Api
from tests.support.cards import lookup
from tests.support.companies import Shop
from tests.support.refunds import (
    announced,
    answered,
    blocks,
    decided,
    disputed,
    kinds,
    later,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
    wallet,
)

pytestmark = pytest.mark.django_db

STATE, DEADLINE = (409, "ONP409_REFUND_STATE"), (409, "ONP409_REFUND_RESPONSE_DEADLINE")


def test_accepted_it_goes_to_the_payer(api: Api, acme: Shop) -> None:
    payment = paid(api)
    refund = disputed(api, payment, amount=50)

    answer = answered(api, refund, "ACCEPT")

    assert (answer.status_code, answer.json()["onpayCode"], answer.json()["onpayDescription"]) == (
        201,
        "ONP201",
        "Response recorded.",
    )
    accepted = answer.json()["data"]
    [response] = accepted["responses"]
    assert response["id"].startswith("rsp_")
    assert (response["answer"], response["message"], response["evidence"], response["answeredBy"]) == (
        "ACCEPT",
        None,
        [],
        "API",
    )
    assert (accepted["status"], accepted["blockedAmount"], accepted["updatedAt"]) == (
        "PROCESSING",
        50,
        response["createdAt"],
    )
    assert accepted["responseDueAt"] == refund["responseDueAt"]
    assert now(api, refund) == accepted == announced(acme, "refund.updated")["data"]
    assert [(reason, amount) for reason, amount, *_ in blocks(api, acme)] == [("REFUND_PROCESSING", 50)]
    assert wallet(acme) == (9850, 0, 5000)
    later(acme, seconds=3)
    run_due()
    assert (now(api, refund)["status"], lookup(api, payment)["refundedAmount"]) == ("COMPLETED", 50)
    assert kinds(acme)[2:] == ["refund.updated", "refund.completed", "payment.updated"]


def test_contested_it_is_under_review_and_stays_blocked(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api), amount=50)

    contested = answered(api, refund, "CONTEST", message="Delivered.").json()["data"]

    [response] = contested["responses"]
    assert (contested["status"], contested["blockedAmount"], response["answer"], response["message"]) == (
        "UNDER_REVIEW",
        50,
        "CONTEST",
        "Delivered.",
    )
    assert now(api, refund) == contested == announced(acme, "refund.updated")["data"]
    assert [reason for reason, *_ in blocks(api, acme)] == ["REFUND_DISPUTE"]
    assert wallet(acme) == (9850, 0, 5000)
    later(acme, days=30)
    with nothing_moves(acme):
        assert run_due() == 0


def test_who_contested_can_give_in_but_not_contest_again(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api), amount=50)
    answered(api, refund, "CONTEST")

    with nothing_moves(acme):
        assert refusal(answered(api, refund, "CONTEST", message="And signed.")) == STATE

    given_in = answered(api, refund, "ACCEPT").json()["data"]
    assert (given_in["status"], [one["answer"] for one in given_in["responses"]]) == (
        "PROCESSING",
        ["CONTEST", "ACCEPT"],
    )


def test_support_that_decides_for_the_payer_sends_it_back(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api), amount=50)
    answered(api, refund, "CONTEST")

    services.decide(acme.sandbox, refund["id"], RefundAction.FOR_PAYER, note="No proof.")

    decision = now(api, refund)
    assert (decision["status"], decision["blockedAmount"], len(decision["responses"])) == ("PROCESSING", 50, 1)
    assert announced(acme, "refund.updated")["data"] == decision
    assert "No proof." not in str(decision)
    later(acme, seconds=3)
    run_due()
    assert (now(api, refund)["status"], wallet(acme)) == ("COMPLETED", (9850, 0, 0))


@pytest.mark.parametrize("text", ["\ud800", "a\x00b"])
def test_what_is_no_text_is_refused_and_moves_nothing(api: Api, acme: Shop, text: str) -> None:
    payment = paid(api)
    refund = disputed(api, paid(api), amount=50)

    with nothing_moves(acme):
        assert answered(api, refund, "CONTEST", message=text).status_code == 400
        wish = api.post(f"/simulations/payments/{payment}/refund-requests", {"payerStatement": text})
        assert wish.status_code == 400


@pytest.mark.parametrize("status", ["PROCESSING", "COMPLETED", "FAILED", "REJECTED", "CANCELED"])
@pytest.mark.parametrize("answer", ["ACCEPT", "CONTEST"])
def test_where_nobody_waits_for_an_answer_none_is_taken(api: Api, acme: Shop, status: str, answer: str) -> None:
    refund = disputed(api, paid(api), amount=50)
    if status != "CANCELED":
        answered(api, refund, "CONTEST" if status == "REJECTED" else "ACCEPT")
    if status != "PROCESSING":
        decided(api, refund, status)
    assert now(api, refund)["status"] == status

    with nothing_moves(acme):
        assert refusal(answered(api, refund, answer)) == STATE


@pytest.mark.parametrize("answer", ["ACCEPT", "CONTEST"])
def test_a_refund_of_the_company_itself_has_nobody_to_answer(api: Api, acme: Shop, answer: str) -> None:
    refund = refunded(api, paid(api, amount=2000), amount=922)

    with nothing_moves(acme):
        assert refusal(answered(api, refund, answer)) == STATE


@pytest.mark.parametrize("answer", ["ACCEPT", "CONTEST"])
def test_after_the_end_an_answer_is_too_late(api: Api, acme: Shop, answer: str) -> None:
    refund = disputed(api, paid(api), amount=50)
    other = disputed(api, paid(api), amount=50)

    later(acme, hours=72, seconds=-10)
    assert answered(api, other, answer).status_code == 201
    later(acme, seconds=11)

    with nothing_moves(acme):
        assert refusal(answered(api, refund, answer)) == DEADLINE


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "answer"),
        ({"answer": None}, "answer"),
        ({"answer": "accept"}, "answer"),
        ({"answer": "REFUSE"}, "answer"),
        ({"answer": True}, "answer"),
        ({"answer": "CONTEST"}, "message"),
        ({"answer": "CONTEST", "message": None}, "message"),
        ({"answer": "CONTEST", "message": ""}, "message"),
        ({"answer": "CONTEST", "message": " \n "}, "message"),
        ({"answer": "CONTEST", "message": 7}, "message"),
        ({"answer": "CONTEST", "message": "x" * 2001}, "message"),
        ({"answer": "ACCEPT", "message": "x" * 2001}, "message"),
    ],
)
def test_a_bad_answer_is_named_and_moves_nothing(api: Api, acme: Shop, body: dict[str, Any], field: str) -> None:
    refund = disputed(api, paid(api), amount=50)

    with nothing_moves(acme):
        answer = api.post(f"/refunds/{refund['id']}/responses", body)

    assert (refusal(answer), answer.json()["error"]["field"]) == ((400, "ONP400_ANSWER"), field)


def test_a_long_message_and_reasons_for_giving_in_are_kept(api: Api) -> None:
    refund = disputed(api, paid(api), amount=50)

    contested = answered(api, refund, "CONTEST", message="é" * 2000).json()["data"]
    accepted = answered(api, refund, "ACCEPT", message="First line.\nSecond line.").json()["data"]

    assert contested["responses"][0]["message"] == "é" * 2000
    assert accepted["responses"][1]["message"] == "First line.\nSecond line."


@pytest.mark.parametrize("refund", ["ref_01KAGTW3Q8XJ5V0N2B7R4C9REF", "x", "ref_", "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF"])
def test_an_unknown_refund_is_neither_found_nor_answered_nor_decided(api: Api, acme: Shop, refund: str) -> None:
    unknown = {"id": refund}

    with nothing_moves(acme):
        for answer in (
            api.get(f"/refunds/{refund}"),
            answered(api, unknown, "ACCEPT"),
            decided(api, unknown, "COMPLETED"),
        ):
            assert refusal(answer) == (404, "ONP404_REFUND")


def test_another_company_neither_sees_nor_answers_nor_decides(
    api: Api, acme: Shop, globex_api: Api, globex: Shop
) -> None:
    payment = paid(api)
    refund = disputed(api, payment, amount=50)

    with nothing_moves(acme), nothing_moves(globex):
        for answer in (
            globex_api.get(f"/refunds/{refund['id']}"),
            answered(globex_api, refund, "ACCEPT"),
            answered(globex_api, refund, "CONTEST"),
            decided(globex_api, refund, "CANCELED"),
        ):
            assert refusal(answer) == (404, "ONP404_REFUND")
        wish = globex_api.post(f"/simulations/payments/{payment}/refund-requests")
        assert refusal(wish) == (404, "ONP404_PAYMENT")
        assert blocks(globex_api, globex) == []
