"""What becomes of a withdrawal: by the sandbox's amounts and clock, by a simulation; and where the money is."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.services import issue_key
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.refunds import moment
from tests.support.withdrawals import (
    BTC,
    FIAT,
    PIX,
    USDT,
    Rail,
    blocks,
    decide,
    exact,
    fund,
    kinds,
    looked_up,
    nothing_moves,
    price,
    refusal,
    register,
    told,
    wait,
    wallet,
    withdrawn,
)

START = Decimal("9900.99")
PROOF = {"PIX": "endToEndId", "SPEI": "trackingKey", "CRYPTO": "transactionHash"}


@pytest.fixture
def dear(out: Api) -> Api:
    """The backend of acme, where a PIX withdrawal costs a real."""
    price(PIX, fee_fixed=100)
    return out


def after(withdrawal: dict[str, Any], seconds: int) -> str:
    at = moment(withdrawal["createdAt"]) + timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def agree(api: Api, shop: Shop, currency: str = "BRL") -> None:
    """The balance, its explanation, the statement and the list of what is blocked say the same."""
    available, _, blocked = wallet(api, shop, currency)
    path = f"/companies/{shop.company.id}"
    for bucket, amount in (("AVAILABLE", available), ("BLOCKED", blocked)):
        explained = exact(api.get(f"{path}/balance/explain", currency=currency, bucket=bucket))
        assert explained["ending"] == amount
        assert explained["opening"] + sum(cause["amount"] for cause in explained["causes"]) == amount
        lines = exact(api.get(f"{path}/statement", currency=currency, bucket=bucket, pageSize=100))
        assert sum(line["amount"] for line in lines) == amount
        assert lines == [] or lines[0]["balanceAfter"] == amount
    assert sum(amount for _, code, amount, _ in blocks(api, shop) if code == currency) == blocked


@pytest.mark.parametrize(
    ("amount", "status", "at", "failure"),
    [
        (500, "COMPLETED", 5, None),
        (900, "COMPLETED", 5, None),
        (901.5, "COMPLETED", 5, None),
        (90.1, "COMPLETED", 5, None),
        (907, "COMPLETED", 5, None),
        (901, "FAILED", 5, "INVALID_DESTINATION"),
        (1901, "FAILED", 5, "INVALID_DESTINATION"),
        (902, "FAILED", 5, "BANK_REJECTED"),
        (2902, "FAILED", 5, "BANK_REJECTED"),
        (906, "COMPLETED", 10, None),
        (904, "PROCESSING", None, None),
    ],
)
def test_an_amount_decides_how_it_ends(
    dear: Api, acme: Shop, amount: float, status: str, at: int | None, failure: str | None
) -> None:
    made = withdrawn(dear, acme, amount=amount)
    wait(dear, (at or 5) - 1)
    assert looked_up(dear, made)["status"] == "PROCESSING"
    assert kinds(acme) == []

    wait(dear, 2 if at else 86_400)

    now = looked_up(dear, made)
    total = made["totalDebited"]
    assert now["status"] == status
    assert now["completedAt"] == (after(made, at or 0) if status == "COMPLETED" else None)
    assert (now["endToEndId"] is not None) == (status == "COMPLETED")
    assert now.get("failure", {}).get("code") == failure
    assert (now["fee"], now["totalDebited"]) == (1, Decimal(str(amount)) + 1)
    left = {"COMPLETED": (START - total, 0), "FAILED": (START, 0), "PROCESSING": (START - total, total)}[status]
    assert wallet(dear, acme) == (left[0], 0, left[1])
    assert kinds(acme) == ([] if status == "PROCESSING" else [f"withdrawal.{status.lower()}"])
    agree(dear, acme)


def test_what_is_returned_comes_back_without_its_fee(dear: Api, acme: Shop) -> None:
    made = withdrawn(dear, acme, amount=903)
    wait(dear, 6)
    assert looked_up(dear, made)["status"] == "COMPLETED"
    assert wallet(dear, acme) == (START - 904, 0, 0)
    wait(dear, 8)
    assert looked_up(dear, made)["status"] == "COMPLETED"

    wait(dear, 2)

    now = looked_up(dear, made)
    assert (now["status"], now["completedAt"], now["returnedAt"]) == ("RETURNED", after(made, 5), after(made, 15))
    assert now["updatedAt"] == after(made, 15)
    assert now["failure"]["code"] == "RETURNED_BY_BANK"
    assert now["endToEndId"]
    assert wallet(dear, acme) == (START - 1, 0, 0)
    assert kinds(acme) == ["withdrawal.completed", "withdrawal.returned"]
    agree(dear, acme)


@pytest.mark.parametrize("rail", [*FIAT, USDT, BTC], ids=" ".join)
@pytest.mark.parametrize("status", ["COMPLETED", "FAILED", "RETURNED"])
def test_every_rail_ends_in_every_way(api: Api, acme: Shop, address: str, rail: Rail, status: str) -> None:
    register(acme, address)
    currency = "BRL" if rail[0] == "CRYPTO" else rail[1]
    fund(api, currency)
    price(rail, fee_percentage=Decimal(1))
    before = wallet(api, acme, currency)
    made = withdrawn(api, acme, rail)
    amount, fee = made["amount"], made["fee"]

    steps = ["COMPLETED", "RETURNED"] if status == "RETURNED" else [status]
    answers = [decide(api, made, step) for step in steps]

    if (status, rail[0]) == ("RETURNED", "CRYPTO"):
        assert refusal(answers.pop()) == (409, "ONP409_WITHDRAWAL_STATE")
        status = "COMPLETED"
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    now = looked_up(api, made)
    assert exact(answers[-1]) == now
    assert now["status"] == status
    lost = {"COMPLETED": amount + fee, "FAILED": 0, "RETURNED": fee}[status]
    assert wallet(api, acme, currency) == (before[0] - lost, 0, 0)
    if rail[0] in PROOF:
        assert (now[PROOF[rail[0]]] is None) == (status == "FAILED")
    assert blocks(api, acme) == []
    agree(api, acme, currency)


@pytest.mark.parametrize(
    ("amount", "waits"), [(500, [6]), (901, [6]), (902, [6]), (903, [6, 10]), (906, [6, 5]), (904, [6])]
)
def test_events_carry_what_the_lookup_answers(out: Api, acme: Shop, amount: int, waits: list[int]) -> None:
    made = withdrawn(out, acme, amount=amount)
    seen: list[dict[str, Any]] = []

    for seconds in waits:
        wait(out, seconds)
        now = looked_up(out, made)
        if now["status"] != "PROCESSING":
            seen.append(now)

    assert [event["data"] for event in told(acme)] == seen
    for event in told(acme):
        assert event["type"] == f"withdrawal.{event['data']['status'].lower()}"
        assert event["timestamp"] == event["data"]["updatedAt"]
        assert (event["companyId"], event["environment"]) == (acme.company.id, "SANDBOX")


@pytest.mark.parametrize(
    "code", ["INVALID_DESTINATION", "BENEFICIARY_MISMATCH", "BANK_REJECTED", "COMPLIANCE_REJECTED", "NETWORK_ERROR"]
)
def test_a_simulation_says_why_it_failed(dear: Api, acme: Shop, code: str) -> None:
    made = withdrawn(dear, acme, amount=904)

    answer = decide(dear, made, "FAILED", failureCode=code)

    assert (answer.status_code, answer.json()["onpayCode"]) == (200, "ONP200")
    assert answer.json()["data"]["failure"]["code"] == code
    assert answer.json()["data"]["failure"]["message"]
    assert wallet(dear, acme) == (START, 0, 0)
    assert told(acme)[0]["data"] == looked_up(dear, made)


def test_a_failure_needs_no_code(out: Api, acme: Shop) -> None:
    failed = decide(out, withdrawn(out, acme), "FAILED").json()["data"]

    assert failed["failure"]["code"] == "BANK_REJECTED"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"status": "PROCESSING"}, "ONP400_STATUS"),
        ({"status": "completed"}, "ONP400_STATUS"),
        ({"status": None}, "ONP400_STATUS"),
        ({}, "ONP400_STATUS"),
        ({"status": "COMPLETED", "failureCode": "BANK_REJECTED"}, "ONP400_VALIDATION"),
        ({"status": "RETURNED", "failureCode": "BANK_REJECTED"}, "ONP400_VALIDATION"),
        ({"status": "FAILED", "failureCode": "BAD_WEATHER"}, "ONP400_VALIDATION"),
    ],
)
def test_a_simulation_that_says_nothing_clear_is_refused(out: Api, acme: Shop, body: dict[str, Any], code: str) -> None:
    made = withdrawn(out, acme)

    with nothing_moves(acme):
        assert refusal(out.post(f"/simulations/withdrawals/{made['id']}", body)) == (400, code)


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ([], ["RETURNED"]),
        (["COMPLETED"], ["COMPLETED", "FAILED"]),
        (["FAILED"], ["COMPLETED", "FAILED", "RETURNED"]),
        (["COMPLETED", "RETURNED"], ["COMPLETED", "FAILED", "RETURNED"]),
    ],
)
def test_a_step_that_is_not_in_the_table_is_refused(out: Api, acme: Shop, steps: list[str], wrong: list[str]) -> None:
    made = withdrawn(out, acme)
    for step in steps:
        assert decide(out, made, step).status_code == 200

    with nothing_moves(acme):
        for status in wrong:
            assert refusal(decide(out, made, status)) == (409, "ONP409_WITHDRAWAL_STATE")


def test_what_was_decided_stays_so_when_the_clock_goes_on(out: Api, acme: Shop) -> None:
    ends = {status: withdrawn(out, acme, amount=100) for status in ("COMPLETED", "FAILED")}
    for status, made in ends.items():
        decide(out, made, status)

    with nothing_moves(acme):
        wait(out, 3_600)

    assert {status: looked_up(out, made)["status"] for status, made in ends.items()} == {s: s for s in ends}


@pytest.mark.parametrize(("days", "status"), [("P29DT23H", 200), ("P30DT1M", 409)])
def test_it_is_returned_within_thirty_days(out: Api, acme: Shop, days: str, status: int) -> None:
    made = withdrawn(out, acme, amount=500)
    wait(out, 6)
    out.post("/simulations/clock", {"advanceBy": days})

    answer = decide(out, made, "RETURNED")

    assert answer.status_code == status
    assert wallet(out, acme)[0] == (START if status == 200 else START - 500)


def test_a_crypto_withdrawal_with_the_returning_amount_stays_completed(out: Api, acme: Shop) -> None:
    made = withdrawn(out, acme, USDT, amount=903, minimumAssetAmount=None)

    wait(out, 86_400)

    assert looked_up(out, made)["status"] == "COMPLETED"
    assert kinds(acme) == ["withdrawal.completed"]


def test_several_withdrawals_go_their_own_ways(dear: Api, acme: Shop) -> None:
    made = [withdrawn(dear, acme, amount=amount) for amount in (100, 901, 903, 904, 906)]
    assert sum(amount for _, _, amount, _ in blocks(dear, acme)) == sum(one["totalDebited"] for one in made) == 3719

    wait(dear, 20)

    ends = ["COMPLETED", "FAILED", "RETURNED", "PROCESSING", "COMPLETED"]
    assert [looked_up(dear, one)["status"] for one in made] == ends
    assert wallet(dear, acme) == (START - 101 - 1 - 905 - 907, 0, 905)
    assert blocks(dear, acme) == [("WITHDRAWAL_PROCESSING", "BRL", 905, made[3]["id"])]
    assert sorted(kinds(acme)) == [f"withdrawal.{s}" for s in ("completed",) * 3 + ("failed", "returned")]
    agree(dear, acme)


def test_who_may_simulate_and_what(out: Api, acme: Shop, address: str) -> None:
    made = withdrawn(out, acme)
    reader = Api(issue_key(acme.sandbox, ["withdrawals:write", "withdrawals:read"], "cashier")[1], address)

    with nothing_moves(acme):
        assert refusal(decide(reader, made, "FAILED")) == (403, "ONP403")
        assert refusal(decide(Api(acme.production_key, address), made, "FAILED")) == (403, "ONP403_SANDBOX_ONLY")
        assert refusal(out.post("/simulations/withdrawals/wdr_x", {"status": "FAILED"})) == (404, "ONP404_WITHDRAWAL")
