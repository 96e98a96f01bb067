"""The table of contract §7.4 is the program's, and what it does not say is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from gateway.refunds.lifecycle import TRANSITIONS, RefundAction
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.refunds import (
    answered,
    decided,
    disputed,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
)

CREATED, UPDATED = "refund.created", "refund.updated"
HELD, RETURNED = "refund.held", "refund.returned"

# What the contract says: what is asked, from, to, the posting, the events.
TABLE = {
    (RefundAction.REQUEST, "", "PROCESSING", HELD, (CREATED,)),
    (RefundAction.DISPUTE, "", "AWAITING_RESPONSE", HELD, (CREATED, "refund.response_required")),
    (RefundAction.ACCEPT, "AWAITING_RESPONSE", "PROCESSING", None, (UPDATED,)),
    (RefundAction.ACCEPT, "UNDER_REVIEW", "PROCESSING", None, (UPDATED,)),
    (RefundAction.LAPSE, "AWAITING_RESPONSE", "PROCESSING", None, (UPDATED,)),
    (RefundAction.UNANSWERED, "AWAITING_RESPONSE", "UNDER_REVIEW", None, (UPDATED,)),
    (RefundAction.CONTEST, "AWAITING_RESPONSE", "UNDER_REVIEW", None, (UPDATED,)),
    (RefundAction.FOR_PAYER, "UNDER_REVIEW", "PROCESSING", None, (UPDATED,)),
    (RefundAction.UNDECIDED, "UNDER_REVIEW", "PROCESSING", None, (UPDATED,)),
    (RefundAction.FOR_COMPANY, "UNDER_REVIEW", "REJECTED", RETURNED, ("refund.rejected",)),
    (RefundAction.WITHDRAW, "AWAITING_RESPONSE", "CANCELED", RETURNED, ("refund.canceled",)),
    (RefundAction.WITHDRAW, "UNDER_REVIEW", "CANCELED", RETURNED, ("refund.canceled",)),
    (RefundAction.FOUND, "", "PROCESSING", HELD, (CREATED,)),
    (RefundAction.WON, "AWAITING_RESPONSE", "REJECTED", RETURNED, ("refund.rejected",)),
    (RefundAction.WON, "UNDER_REVIEW", "REJECTED", RETURNED, ("refund.rejected",)),
    (RefundAction.WON, "PROCESSING", "REJECTED", RETURNED, ("refund.rejected",)),
    (RefundAction.TAKEN_BACK, "AWAITING_RESPONSE", "COMPLETED", "refund.completed", ("refund.completed",)),
    (RefundAction.TAKEN_BACK, "UNDER_REVIEW", "COMPLETED", "refund.completed", ("refund.completed",)),
    (RefundAction.TAKEN_BACK, "PROCESSING", "COMPLETED", "refund.completed", ("refund.completed",)),
    (RefundAction.DONE, "PROCESSING", "COMPLETED", "refund.completed", ("refund.completed",)),
    (RefundAction.DECLINED, "PROCESSING", "FAILED", RETURNED, ("refund.failed",)),
}


def test_the_table_is_that_of_the_contract() -> None:
    said = {
        (one.action, str(source), str(one.target), one.posts, one.announces)
        for one in TRANSITIONS
        for source in one.starts_from
    }

    assert said == TABLE
    assert len(TRANSITIONS) == len({one.action for one in TRANSITIONS})


def test_every_transition_that_moves_money_says_how() -> None:
    assert all((one.posts is None) == (one.books is None) for one in TRANSITIONS)


Way = Callable[[Api, str], dict[str, Any]]


def ended(way: Way, status: str) -> Way:
    def go(api: Api, payment: str) -> dict[str, Any]:
        return dict(decided(api, way(api, payment), status).json()["data"])

    return go


def contested(api: Api, payment: str) -> dict[str, Any]:
    return dict(answered(api, disputed(api, payment, amount=10), "CONTEST").json()["data"])


def awaiting(api: Api, payment: str) -> dict[str, Any]:
    return disputed(api, payment, amount=10)


def processing(api: Api, payment: str) -> dict[str, Any]:
    return refunded(api, payment, amount=10)


WAYS: dict[str, Way] = {
    "AWAITING_RESPONSE": awaiting,
    "UNDER_REVIEW": contested,
    "PROCESSING": processing,
    "COMPLETED": ended(processing, "COMPLETED"),
    "FAILED": ended(processing, "FAILED"),
    "REJECTED": ended(contested, "REJECTED"),
    "CANCELED": ended(awaiting, "CANCELED"),
}
POSSIBLE = {
    ("PROCESSING", "COMPLETED"), ("PROCESSING", "FAILED"), ("UNDER_REVIEW", "REJECTED"),
    ("UNDER_REVIEW", "CANCELED"), ("AWAITING_RESPONSE", "CANCELED"),
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("status", WAYS)
def test_a_simulation_decides_what_can_be_decided_and_nothing_else(api: Api, acme: Shop, status: str) -> None:
    for wanted in ("COMPLETED", "FAILED", "REJECTED", "CANCELED"):
        refund = WAYS[status](api, paid(api))
        assert refund["status"] == status
        if (status, wanted) in POSSIBLE:
            assert decided(api, refund, wanted).json()["data"]["status"] == wanted
            continue
        with nothing_moves(acme):
            assert refusal(decided(api, refund, wanted)) == (409, "ONP409_REFUND_STATE")
        assert now(api, refund) == refund


@pytest.mark.django_db
@pytest.mark.parametrize("body", [{}, {"status": "AWAITING_RESPONSE"}, {"status": "completed"}, {"status": 1}])
def test_a_simulation_of_anything_else_is_refused_and_moves_nothing(api: Api, acme: Shop, body: dict[str, Any]) -> None:
    refund = refunded(api, paid(api), amount=10)

    with nothing_moves(acme):
        answer = api.post(f"/simulations/refunds/{refund['id']}", body)

    assert (refusal(answer), answer.json()["error"]["field"]) == ((400, "ONP400_STATUS"), "status")


@pytest.mark.django_db
def test_production_simulates_no_refund(api: Api, acme: Shop, address: str) -> None:
    refund = refunded(api, paid(api), amount=10)

    with nothing_moves(acme):
        answer = decided(Api(acme.production_key, address), refund, "FAILED")

    assert refusal(answer) == (403, "ONP403_SANDBOX_ONLY")


@pytest.mark.django_db
def test_a_suspended_company_simulates_nothing(api: Api, acme: Shop) -> None:
    payment = paid(api)
    refund = refunded(api, payment, amount=10)
    acme.company.status = "SUSPENDED"
    acme.company.save()

    with nothing_moves(acme):
        assert refusal(decided(api, refund, "FAILED")) == (403, "ONP403_COMPANY_STATUS")
        wish = api.post(f"/simulations/payments/{payment}/refund-requests")
        assert refusal(wish) == (403, "ONP403_COMPANY_STATUS")
