"""A payer wants money back: it is blocked, the company is asked, and silence is an answer."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from gateway.refunds.due import FILL, run_due
from tests.support.api import Api
from tests.support.cards import events, lookup
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from tests.support.refunds import (
    announced,
    answered,
    blocks,
    decided,
    disputed,
    kinds,
    later,
    moment,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
    wallet,
    withdraw_all_but,
)

pytestmark = pytest.mark.django_db

OPENED = ["refund.created", "refund.response_required"]
HOUR, DAY = 3600, 86_400


def in_days(began: datetime, days: int) -> str:
    return (began + timedelta(days=days)).isoformat()


def wish(api: Api, payment: str, **members: Any) -> tuple[int, str]:
    return refusal(api.post(f"/simulations/payments/{payment}/refund-requests", members))


def test_a_dispute_is_exactly_the_record_of_the_contract(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)

    refund = disputed(api, payment, reasonCode="UNRECOGNIZED", payerStatement="I do not know this shop.")

    assert refund == {
        "id": refund["id"],
        "paymentId": payment,
        "reference": None,
        "origin": "PAYER",
        "type": "FULL",
        "status": "AWAITING_RESPONSE",
        "amount": 150,
        "currency": "BRL",
        "reason": None,
        "reasonCode": "UNRECOGNIZED",
        "payerStatement": "I do not know this shop.",
        "responseDueAt": refund["responseDueAt"],
        "disputeKind": None,
        "claimId": None,
        "claimedAmount": None,
        "recoveredAmount": None,
        "analysisDueAt": None,
        "returnDueAt": None,
        "responses": [],
        "blockedAmount": 150,
        "endToEndId": None,
        "resolution": None,
        "createdAt": refund["createdAt"],
        "updatedAt": refund["createdAt"],
        "completedAt": None,
    }
    assert now(api, refund) == refund
    assert api.get(f"/payments/{payment}/refunds").json()["data"] == [refund]
    assert wallet(acme) == (14_700, 0, 15_000)
    assert blocks(api, acme) == [("REFUND_DISPUTE", 150, refund["id"], refund["responseDueAt"])]
    assert kinds(acme) == OPENED
    assert [announced(acme, kind)["data"] for kind in OPENED] == [refund, refund]


@pytest.mark.parametrize(
    ("method", "seconds"),
    [
        ("PIX", 72 * HOUR), ("BOLETO", 72 * HOUR), ("SPEI", 72 * HOUR), ("MB_WAY", 72 * HOUR), ("NEQUI", 72 * HOUR),
        ("CREDIT_CARD", 7 * DAY), ("DEBIT_CARD", 7 * DAY),
    ],
)  # fmt: skip
def test_the_time_to_answer_is_that_of_the_method(api: Api, method: str, seconds: int) -> None:
    refund = disputed(api, paid(api, method), amount=10)

    assert (refund["type"], refund["amount"]) == ("PARTIAL", 10)
    assert (moment(refund["responseDueAt"]) - moment(refund["createdAt"])).total_seconds() == seconds


def test_the_time_to_answer_can_be_another(api: Api) -> None:
    refund = disputed(api, paid(api), amount=10, responseDueAt="2099-01-01T00:00:00-03:00")

    assert refund["responseDueAt"] == "2099-01-01T03:00:00.000Z"


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"amount": 0}, "amount"),
        ({"amount": "10"}, "amount"),
        ({"reasonCode": "BORED"}, "reasonCode"),
        ({"reasonCode": "fraud"}, "reasonCode"),
        ({"payerStatement": "x" * 2001}, "payerStatement"),
        ({"payerStatement": 7}, "payerStatement"),
        ({"responseDueAt": "2020-01-01T00:00:00Z"}, "responseDueAt"),
        ({"responseDueAt": "tomorrow"}, "responseDueAt"),
    ],
)
def test_a_wrong_wish_is_named_and_moves_nothing(api: Api, acme: Shop, members: dict[str, Any], field: str) -> None:
    payment = paid(api)

    with nothing_moves(acme):
        answer = api.post(f"/simulations/payments/{payment}/refund-requests", members)

    code = "ONP400_AMOUNT" if field == "amount" else "ONP400_VALIDATION"
    assert (refusal(answer), answer.json()["error"]["field"]) == ((400, code), field)


def test_there_is_nothing_to_dispute_twice_too_much_or_unpaid(api: Api, acme: Shop, address: str) -> None:
    payment, given, other = paid(api), paid(api), paid(api)
    disputed(api, payment, amount=10)
    refunded(api, given, amount=149)
    unpaid = api.post("/payments", pix()).json()["data"]["id"]
    production = Api(acme.production_key, address)

    with nothing_moves(acme):
        assert wish(api, payment, amount=10) == (409, "ONP409_REFUND_IN_DISPUTE")
        assert wish(api, given, amount=1.01) == (422, "ONP422_REFUND_AMOUNT_EXCEEDED")
        assert wish(api, other, amount=150.01) == (422, "ONP422_REFUND_AMOUNT_EXCEEDED")
        assert wish(api, unpaid) == (409, "ONP409_PAYMENT_STATE")
        assert wish(api, "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF") == (404, "ONP404_PAYMENT")
        assert wish(production, other) == (403, "ONP403_SANDBOX_ONLY")
    assert wish(api, given, amount=1)[0] == 201


def test_a_card_is_blocked_out_of_its_receivable_first(api: Api, acme: Shop) -> None:
    paid(api)
    payment = paid(api, "CREDIT_CARD")

    refund = disputed(api, payment)

    assert (refund["blockedAmount"], wallet(acme)) == (200, (14_850 - 798, 0, 20_000))
    assert decided(api, refund, "CANCELED").json()["data"]["blockedAmount"] == 0
    assert wallet(acme) == (14_850, 19_202, 0)


@pytest.mark.parametrize("outcome", ["REJECTED", "CANCELED"])
def test_what_the_company_keeps_is_where_it_was(api: Api, acme: Shop, outcome: str) -> None:
    payment = paid(api, "CREDIT_CARD")
    refund = disputed(api, payment, amount=100)
    answered(api, refund, "CONTEST")

    ended = decided(api, refund, outcome).json()["data"]

    assert (ended["status"], ended["blockedAmount"], "failure" in ended) == (outcome, 0, False)
    assert (wallet(acme), blocks(api, acme)) == ((0, 19_202, 0), [])
    assert kinds(acme) == [*OPENED, "refund.updated", f"refund.{outcome.lower()}"]
    assert announced(acme, f"refund.{outcome.lower()}")["data"] == ended == now(api, refund)
    assert lookup(api, payment)["refundedAmount"] == 0
    assert disputed(api, payment)["type"] == "FULL"


# ── Money that is missing ─────────────────────────────────────────────────────────────────────────────────────────
def test_what_is_there_is_blocked_and_later_credits_fill_the_rest(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api))
    assert (refund["amount"], refund["blockedAmount"], wallet(acme)) == (150, 148.50, (0, 0, 14_850))
    with nothing_moves(acme):
        assert FILL.sweep() == 0

    a_payment(acme.sandbox, "PAID", "1.00")  # its net: 98 cents
    assert (now(api, refund)["blockedAmount"], wallet(acme)) == (149.48, (0, 0, 14_948))

    a_payment(acme.sandbox, "PAID", "10.00")
    assert FILL.sweep() == 0
    assert (now(api, refund)["blockedAmount"], wallet(acme)) == (150, (989 - 52, 0, 15_000))
    assert blocks(api, acme) == [("REFUND_DISPUTE", 150, refund["id"], refund["responseDueAt"])]


def test_credits_of_other_wallets_and_companies_fill_nothing(api: Api, acme: Shop, globex: Shop) -> None:
    disputed(api, paid(api))

    paid(api, "SPEI")
    a_payment(globex.sandbox, "PAID")

    with nothing_moves(acme), nothing_moves(globex):
        assert FILL.sweep() == 0


def test_where_nothing_is_there_the_company_is_asked_all_the_same(api: Api, acme: Shop) -> None:
    payment = paid(api)
    withdraw_all_but(acme, 0)

    refund = disputed(api, payment)

    assert (refund["status"], refund["blockedAmount"], blocks(api, acme)) == ("AWAITING_RESPONSE", 0, [])
    assert kinds(acme) == OPENED
    assert answered(api, refund, "CONTEST").json()["data"]["status"] == "UNDER_REVIEW"
    assert decided(api, refund, "REJECTED").json()["data"]["status"] == "REJECTED"


def test_an_accepted_refund_waits_for_its_money_and_then_completes(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api))
    answered(api, refund, "ACCEPT")
    later(acme, seconds=3)
    run_due()
    assert now(api, refund)["status"] == "PROCESSING"
    with nothing_moves(acme):
        assert refusal(decided(api, refund, "COMPLETED")) == (409, "ONP409_REFUND_STATE")

    paid(api)
    later(acme, hours=2)
    run_due()

    assert now(api, refund)["status"] == "COMPLETED"
    assert wallet(acme) == (14_700, 0, 0)


def test_after_ninety_days_without_money_it_fails_and_what_was_blocked_returns(api: Api, acme: Shop) -> None:
    began = moment(api.get("/simulations/clock").json()["data"]["now"])
    refund = disputed(api, paid(api), responseDueAt=in_days(began, 89))
    later(acme, days=89, hours=1)
    for _ in range(3):
        run_due()
    assert (now(api, refund)["status"], wallet(acme)) == ("PROCESSING", (0, 0, 14_850))

    later(acme, days=1)
    while run_due():
        pass

    failed = now(api, refund)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INSUFFICIENT_BALANCE")
    age = (moment(failed["updatedAt"]) - moment(refund["createdAt"])).total_seconds()
    assert 90 * DAY <= age <= 90 * DAY + 2 * HOUR
    assert (wallet(acme), blocks(api, acme), failed["blockedAmount"]) == ((14_850, 0, 0), [], 0)
    assert kinds(acme)[-1] == "refund.failed"
    assert announced(acme, "refund.failed")["data"] == failed


# ── Time ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_day_before_the_end_the_company_is_reminded_once(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api), amount=10)
    later(acme, hours=48, seconds=-5)
    with nothing_moves(acme):
        assert run_due() == 0

    later(acme, seconds=10)
    assert (run_due(), run_due()) == (1, 0)

    assert kinds(acme) == [*OPENED, "refund.response_required"]
    reminder = announced(acme, "refund.response_required")
    assert reminder["data"] == now(api, refund)
    assert (moment(refund["responseDueAt"]) - moment(reminder["timestamp"])).total_seconds() == DAY


def test_who_has_less_than_a_day_or_has_answered_is_not_reminded(api: Api, acme: Shop) -> None:
    soon = in_days(moment(api.get("/simulations/clock").json()["data"]["now"]), 1)
    disputed(api, paid(api), amount=10, responseDueAt=soon)
    answered(api, disputed(api, paid(api), amount=10), "CONTEST")
    later(acme, hours=23, minutes=58)

    run_due()
    later(acme, days=3)
    run_due()

    assert [event["type"] for event in events(acme)].count("refund.response_required") == 2


def test_silence_to_the_end_accepts(api: Api, acme: Shop) -> None:
    payment = paid(api)
    refund = disputed(api, payment, amount=10)
    later(acme, hours=72, seconds=1)
    assert run_due() == 2  # the reminder, and the end

    lapsed = now(api, refund)
    [response] = lapsed["responses"]
    assert response == {
        "id": response["id"], "answer": "ACCEPT", "message": None, "evidence": [], "answeredBy": "SYSTEM",
        "createdAt": refund["responseDueAt"],
    }  # fmt: skip
    assert (lapsed["status"], lapsed["responseDueAt"]) == ("PROCESSING", refund["responseDueAt"])
    assert [(reason, amount) for reason, amount, *_ in blocks(api, acme)] == [("REFUND_PROCESSING", 10)]
    assert announced(acme, "refund.updated")["data"] == lapsed
    later(acme, seconds=2)
    run_due()
    assert (now(api, refund)["status"], lookup(api, payment)["refundedAmount"]) == ("COMPLETED", 10)
    assert kinds(acme)[2:] == ["refund.response_required", "refund.updated", "refund.completed", "payment.updated"]
