"""The same withdrawal twice: by its key, by its reference; and which check answers first."""

import uuid
from typing import Any

import pytest

from accounts.models import Company
from accounts.services import issue_key
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.withdrawals import (
    PIX,
    RAILS,
    SPEI,
    USDT,
    Rail,
    ask,
    body,
    change,
    decide,
    fund,
    nothing_moves,
    refusal,
    register,
    send,
    wait,
    wallet,
    withdrawn,
)


@pytest.mark.parametrize("rail", RAILS, ids=" ".join)
def test_the_same_key_and_content_is_one_withdrawal(api: Api, acme: Shop, address: str, rail: Rail) -> None:
    register(acme, address)
    fund(api, "BRL" if rail[0] == "CRYPTO" else rail[1])
    asked, key = body(acme, rail), str(uuid.uuid4())
    first = send(api, rail, asked, key=key)
    assert first.status_code == 201

    with nothing_moves(acme):
        again = send(api, rail, dict(reversed(asked.items())), key=key.upper())

    assert (again.status_code, again.content) == (201, first.content)
    assert again["Idempotent-Replayed"] == "true"
    assert again["RequestId"] != first["RequestId"]


def test_what_is_replayed_is_the_first_answer_however_it_went_on(out: Api, acme: Shop) -> None:
    asked, key = body(acme), str(uuid.uuid4())
    first = send(out, PIX, asked, key=key)
    wait(out, 6)

    again = send(out, PIX, asked, key=key)

    assert again.content == first.content
    assert again.json()["data"]["status"] == "PROCESSING"


@pytest.mark.parametrize("members", [{"amount": 500.01}, {"reference": "another"}, {"pixKey": "other@example.com"}])
def test_the_same_key_with_other_content_is_a_conflict(out: Api, acme: Shop, members: dict[str, Any]) -> None:
    asked, key = body(acme), str(uuid.uuid4())
    send(out, PIX, asked, key=key)

    with nothing_moves(acme):
        answer = send(out, PIX, asked | members, key=key)

    assert refusal(answer) == (409, "ONP409_IDEMPOTENCY_CONFLICT")


def test_the_same_key_over_another_rail_is_a_conflict(out: Api, acme: Shop) -> None:
    key = str(uuid.uuid4())
    ask(out, acme, PIX, key=key)

    with nothing_moves(acme):
        assert refusal(ask(out, acme, USDT, key=key)) == (409, "ONP409_IDEMPOTENCY_CONFLICT")


def test_without_a_key_nothing_is_withdrawn(out: Api, acme: Shop) -> None:
    with nothing_moves(acme):
        answer = out.request(
            "POST", "/withdrawals/pix", data=b"{}", content_type="application/json"
        )  # fmt: skip
        unreadable = ask(out, acme, key="payroll-1")

    assert refusal(answer) == (400, "ONP400_IDEMPOTENCY_KEY_MISSING")
    assert refusal(unreadable) == (400, "ONP400_IDEMPOTENCY_KEY_INVALID")


def test_a_refusal_for_the_balance_stays_the_answer_of_its_key(out: Api, acme: Shop) -> None:
    asked, key = body(acme, amount=20_000), str(uuid.uuid4())
    first = send(out, PIX, asked, key=key)
    fund(out)

    with nothing_moves(acme):
        again = send(out, PIX, asked, key=key)

    assert refusal(again) == refusal(first) == (422, "ONP422_INSUFFICIENT_BALANCE")
    assert again["Idempotent-Replayed"] == "true"
    assert again.content == first.content
    assert send(out, PIX, asked).status_code == 201


@pytest.mark.parametrize(
    ("members", "code"),
    [({"amount": 0.5}, "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL"), ({"reference": "taken"}, "ONP409_DUPLICATE_REFERENCE")],
)
def test_every_refusal_while_acting_stays_the_answer(out: Api, acme: Shop, members: dict[str, Any], code: str) -> None:
    withdrawn(out, acme, reference="taken", amount=2)
    asked, key = body(acme, **members), str(uuid.uuid4())
    first = send(out, PIX, asked, key=key)

    again = send(out, PIX, asked, key=key)

    assert first.json()["onpayCode"] == code
    assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")
    assert refusal(send(out, PIX, asked | {"amount": 3}, key=key))[1] == "ONP409_IDEMPOTENCY_CONFLICT"


def test_what_was_refused_before_it_began_leaves_the_key_free(out: Api, acme: Shop, address: str) -> None:
    key, asked = str(uuid.uuid4()), body(acme)
    assert send(out, PIX, asked | {"amount": -1}, key=key).status_code == 400
    register(acme, None)
    assert send(out, PIX, asked, key=key).status_code == 403
    register(acme, address)
    change(acme, withdrawal_enabled=False)
    assert send(out, PIX, asked, key=key).status_code == 403
    change(acme, withdrawal_enabled=True)
    assert send(out, PIX, asked | {"companyId": "cmp_x"}, key=key).status_code == 403

    answer = send(out, PIX, asked, key=key)

    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer


def test_a_replay_needs_the_permission_too(out: Api, acme: Shop) -> None:
    asked, key = body(acme), str(uuid.uuid4())
    send(out, PIX, asked, key=key)
    out.key = issue_key(acme.sandbox, ["withdrawals:read"], "reader")[1]

    with nothing_moves(acme):
        answer = send(out, PIX, asked, key=key)

    assert refusal(answer) == (403, "ONP403")
    assert answer.json()["error"]["field"] == "withdrawals:write"


@pytest.mark.parametrize("status", ["PROCESSING", "COMPLETED", "RETURNED"])
def test_a_reference_is_taken_while_its_withdrawal_lives(out: Api, acme: Shop, status: str) -> None:
    first = withdrawn(out, acme, reference="payroll")
    for step in {"PROCESSING": (), "COMPLETED": ("COMPLETED",), "RETURNED": ("COMPLETED", "RETURNED")}[status]:
        assert decide(out, first, step).status_code == 200

    with nothing_moves(acme):
        same_rail = ask(out, acme, reference="payroll")
        other_rail = ask(out, acme, USDT, reference=" payroll ")

    assert refusal(same_rail) == refusal(other_rail) == (409, "ONP409_DUPLICATE_REFERENCE")
    assert same_rail.json()["error"]["field"] == "reference"


def test_a_reference_is_free_again_after_its_withdrawal_failed(out: Api, acme: Shop) -> None:
    first = withdrawn(out, acme, reference="payroll")
    decide(out, first, "FAILED")

    second = withdrawn(out, acme, reference="payroll")

    assert second["id"] != first["id"]
    assert refusal(ask(out, acme, reference="payroll")) == (409, "ONP409_DUPLICATE_REFERENCE")


def test_the_unavailable_rail_takes_the_withdrawal_at_the_second_call(out: Api, acme: Shop) -> None:
    asked, key = body(acme, amount=905), str(uuid.uuid4())

    with nothing_moves(acme):
        first = send(out, PIX, asked, key=key)
    conflict = send(out, PIX, asked | {"amount": 1}, key=key)
    second = send(out, PIX, asked, key=key)
    third = send(out, PIX, asked, key=key)

    assert refusal(first) == (503, "ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE")
    error = first.json()["error"]
    assert error["retryable"] is True
    assert 5 <= error["retryAfter"] <= 60
    assert first["Retry-After"] == str(error["retryAfter"])
    assert refusal(conflict) == (409, "ONP409_IDEMPOTENCY_CONFLICT")
    assert (second.status_code, second.json()["data"]["amount"]) == (201, 905)
    assert third.content == second.content
    assert Withdrawal.objects.count() == 1
    assert wallet(out, acme)[2] == 905


def test_two_failed_calls_of_one_key_leave_one_withdrawal(out: Api, acme: Shop) -> None:
    asked, key = body(acme, amount=1905), str(uuid.uuid4())

    answers = [send(out, PIX, asked, key=key).status_code for _ in range(3)]

    assert answers == [503, 201, 201]
    assert Withdrawal.objects.get().reference == asked["reference"]


def test_the_first_check_that_fails_answers(out: Api, acme: Shop, address: str) -> None:
    """Everything is wrong, and is set right one thing after the other (contract §2.1, §11.1)."""
    withdrawn(out, acme, reference="taken", amount=1)
    company = Company.objects.filter(pk=acme.company.pk)
    register(acme, "203.0.113.9")
    company.update(status="SUSPENDED")
    change(acme, withdrawal_enabled=False)
    good, out.key = out.key, issue_key(acme.sandbox, ["withdrawals:read"], "reader")[1]
    asked = body(acme, reference="taken", amount=0.5, companyId="cmp_x", pixKey="nobody")
    codes = []

    def answered() -> None:
        codes.append(refusal(send(out, PIX, asked))[1])

    answered()
    out.key = good
    answered()
    register(acme, address)
    answered()
    company.update(status="ACTIVE")
    answered()
    change(acme, withdrawal_enabled=True)
    answered()
    asked["pixKey"] = "maria@example.com"
    answered()
    asked["companyId"] = acme.company.id
    answered()
    asked["amount"] = 50_000
    answered()
    asked["reference"] = "free"
    answered()

    assert codes == [
        "ONP403",
        "ONP403_IP",
        "ONP403_COMPANY_STATUS",
        "ONP403_WITHDRAWAL_DISABLED",
        "ONP400_PIX_KEY",
        "ONP403_COMPANY",
        "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL",
        "ONP409_DUPLICATE_REFERENCE",
        "ONP422_INSUFFICIENT_BALANCE",
    ]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"data": b"{}", "content_type": "text/plain"}, 415),
        ({"data": b"{", "content_type": "application/json"}, 400),
        ({"data": b"{}", "content_type": "application/json", "HTTP_ACCEPT": "text/html"}, 406),
    ],
)
def test_an_unregistered_address_is_told_so_before_anything_of_its_request(
    out: Api, acme: Shop, request_: dict[str, Any], status: int
) -> None:
    def answer() -> int:
        return out.request("POST", "/withdrawals/pix", HTTP_IDEMPOTENCY_KEY=str(uuid.uuid4()), **request_).status_code

    assert answer() == status
    register(acme, "203.0.113.9")

    with nothing_moves(acme):
        assert answer() == 403


def test_an_amount_of_another_currency_is_refused_before_the_balance_is_looked_at(out: Api, acme: Shop) -> None:
    assert refusal(ask(out, acme, SPEI, currency="BRL")) == (400, "ONP400_CURRENCY")
