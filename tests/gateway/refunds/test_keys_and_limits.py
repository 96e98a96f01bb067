"""Refunds and answers under idempotency keys, and how often an address may ask for them."""

import re
import uuid

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from gateway.refunds.models import Refund, Response
from ledger.holds import services as holds
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.refunds import (
    answered,
    ask,
    decided,
    disputed,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
    withdraw_all_but,
)

pytestmark = pytest.mark.django_db

CONFLICT = (409, "ONP409_IDEMPOTENCY_CONFLICT")


@pytest.fixture
def key() -> str:
    return str(uuid.uuid4())


def is_replay_of(second: HttpResponse, first: HttpResponse) -> bool:
    assert "Idempotent-Replayed" not in first
    same = (second.status_code, second.content) == (first.status_code, first.content)
    return same and second["Idempotent-Replayed"] == "true" and second["RequestId"] != first["RequestId"]


def test_a_repeated_refund_is_one_refund_and_answers_as_it_was(api: Api, acme: Shop, key: str) -> None:
    path = f"/payments/{paid(api)}/refunds"
    first = api.post(path, {"amount": 50, "reason": "Gone"}, key=key)
    decided(api, first.json()["data"], "COMPLETED")

    with nothing_moves(acme):
        assert is_replay_of(api.post(path, raw=b'{"reason": "Gone",  "amount": 50.00}', key=key), first)
        assert refusal(api.post(path, {"amount": 51, "reason": "Gone"}, key=key)) == CONFLICT
        assert refusal(api.post(f"/payments/{paid_before(api)}/refunds", {"amount": 50}, key=key)) == CONFLICT
    assert Refund.objects.count() == 1


def paid_before(api: Api) -> str:
    return str(api.get("/payments").json()["data"][0]["id"])


@pytest.mark.parametrize("content", [b"", b"{}"])
def test_nothing_said_can_be_repeated(api: Api, key: str, content: bytes) -> None:
    payment = paid(api)
    paid(api)
    first = api.post(f"/payments/{payment}/refunds", raw=content, key=key)

    assert first.status_code == 201
    assert is_replay_of(api.post(f"/payments/{payment}/refunds", raw=content, key=key), first)


def test_the_key_of_the_payment_is_not_one_for_its_refund(api: Api, acme: Shop, key: str) -> None:
    payment = paid(api)
    paid_by = {"status": "PAID"}
    api.post(f"/simulations/payments/{payment}", paid_by, key=key)
    refunded_key = str(uuid.uuid4())
    api.post(f"/payments/{payment}/refunds", {"amount": 1}, key=refunded_key)

    with nothing_moves(acme):
        assert refusal(api.post(f"/payments/{payment}/refunds", {"amount": 2}, key=key)) == CONFLICT


def test_a_refusal_while_acting_is_the_answer_for_ever(api: Api, acme: Shop, key: str) -> None:
    payment = paid(api)
    block = withdraw_all_but(acme, 0)
    first = api.post(f"/payments/{payment}/refunds", {"amount": 50}, key=key)
    assert refusal(first) == (422, "ONP422_INSUFFICIENT_BALANCE")
    holds.lift(block.id)

    with nothing_moves(acme):
        assert is_replay_of(api.post(f"/payments/{payment}/refunds", {"amount": 50}, key=key), first)
    assert ask(api, payment, amount=50).status_code == 201


def test_what_was_not_valid_leaves_the_key_free(api: Api, key: str) -> None:
    path = f"/payments/{paid(api)}/refunds"
    assert api.post(path, {"amount": "50"}, key=key).status_code == 400

    assert api.post(path, {"amount": 50}, key=key).status_code == 201


def test_a_repeated_answer_is_one_answer(api: Api, acme: Shop, key: str) -> None:
    refund = disputed(api, paid(api), amount=50)
    path, body = f"/refunds/{refund['id']}/responses", {"answer": "CONTEST", "message": "Delivered."}
    first = api.post(path, body, key=key)
    assert first.status_code == 201

    with nothing_moves(acme):
        assert is_replay_of(api.post(path, body, key=key), first)
        assert refusal(api.post(path, {"answer": "ACCEPT"}, key=key)) == CONFLICT
    assert Response.objects.count() == 1


def test_a_refused_answer_stays_refused(api: Api, acme: Shop, key: str) -> None:
    refund = refunded(api, paid(api), amount=50)
    path = f"/refunds/{refund['id']}/responses"
    first = api.post(path, {"answer": "ACCEPT"}, key=key)
    assert refusal(first) == (409, "ONP409_REFUND_STATE")

    with nothing_moves(acme):
        assert is_replay_of(api.post(path, {"answer": "ACCEPT"}, key=key), first)


def test_every_call_needs_a_key(api: Api, acme: Shop) -> None:
    payment = paid(api)
    refund = disputed(api, payment, amount=50)

    with nothing_moves(acme):
        for path in (
            f"/payments/{payment}/refunds",
            f"/refunds/{refund['id']}/responses",
            f"/simulations/payments/{payment}/refund-requests",
            f"/simulations/refunds/{refund['id']}",
        ):
            answer = api.request("POST", path, data=b"{}", content_type="application/json")
            assert refusal(answer) == (400, "ONP400_IDEMPOTENCY_KEY_MISSING")


def test_a_key_of_another_company_is_another_key(api: Api, globex_api: Api, key: str) -> None:
    answers = [one.post(f"/payments/{paid(one)}/refunds", {"amount": 50}, key=key) for one in (api, globex_api)]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json()["data"]["id"] != answers[1].json()["data"]["id"]


# ── How often ─────────────────────────────────────────────────────────────────────────────────────────────────────
def windows(answer: HttpResponse) -> dict[str, tuple[int, int]]:
    return {name: (int(q), int(w)) for name, q, w in re.findall(r'"(\w+)";q=(\d+);w=(\d+)', answer["RateLimit-Policy"])}


def left(answer: HttpResponse) -> int:
    return int(re.findall(r'"refunds";r=(\d+)', answer["RateLimit"])[0])


def test_refunds_and_answers_share_two_hundred_in_five_minutes(api: Api) -> None:
    payment, other = paid(api), paid(api)
    created = ask(api, payment, amount=1)
    responded = answered(api, disputed(api, other, amount=1), "ACCEPT")

    assert windows(created) == windows(responded) == {"refunds": (200, 300), "all": (1000, 300)}
    assert (left(created), left(responded)) == (199, 198)
    refund = created.json()["data"]
    for answer in (
        api.get(f"/refunds/{refund['id']}"),
        api.get(f"/payments/{payment}/refunds"),
        decided(api, refund, "FAILED"),
    ):
        assert windows(answer) == {"all": (1000, 300)}


def test_one_too_many_is_refused_and_moves_nothing(api: Api, acme: Shop, settings: Settings) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"refunds": 2}
    payment, other = paid(api), paid(api)
    refund = disputed(api, other, amount=1)
    ask(api, payment, amount=1)
    answered(api, refund, "CONTEST")

    with nothing_moves(acme):
        for answer in (ask(api, payment, amount=1), answered(api, refund, "ACCEPT")):
            error = answer.json()["error"]
            assert (refusal(answer), error["retryable"]) == ((429, "ONP429"), True)
            assert 1 <= error["retryAfter"] == int(answer["Retry-After"]) <= 300
    assert now(api, refund)["status"] == "UNDER_REVIEW"
