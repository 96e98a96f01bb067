"""Amounts that a method does not take: by the contract's limits (§4.1), by its fee, and by the form of the number."""

import json
import uuid
from decimal import Decimal
from typing import Any

import pytest

from gateway.methods.models import PriceRule
from tests.support.api import Api
from tests.support.bad_orders import (
    METHODS,
    ORDERS,
    Changes,
    Faults,
    cases,
    is_refused,
    is_taken,
    nothing_was_made,
    order,
    said,
)
from tests.support.companies import Shop
from tests.support.rows import rows

AMOUNT = "ONP400_AMOUNT"
LEAST = {
    "PIX": "0.01", "BOLETO": "1.00", "SPEI": "1.00", "ARS": "1.00", "COP": "100.00", "PSE": "100.00",
    "NEQUI": "100.00", "BRE_B": "100.00", "MB_WAY": "0.01",
}  # fmt: skip
MOST = {
    "PIX": "250000", "BOLETO": "250000", "SPEI": "1000000", "ARS": "10000000", "COP": "50000000", "PSE": "30000000",
    "NEQUI": "5000000", "BRE_B": "11552000", "MB_WAY": "5000",
}  # fmt: skip
NO_NUMBERS: list[tuple[Changes, str, Faults]] = [
    ({"amount": amount}, AMOUNT, [("amount", code)])
    for amount, code in (
        ("150", "INVALID"), ("", "INVALID"), (True, "INVALID"), ([150], "INVALID"), ({}, "INVALID"),
        (0, "OUT_OF_RANGE"), (-150, "OUT_OF_RANGE"), (-0.01, "OUT_OF_RANGE"),
        (150.001, "INVALID"), (1_000_000_000_000, "OUT_OF_RANGE"),
    )
]  # fmt: skip


def is_refused_for_good(api: Api, method: str, amount: str, code: str, **members: Any) -> None:
    """The refusal is the answer of its key: said again to the same order, and a conflict with the order put right."""
    key, sent = str(uuid.uuid4()), order(method, {"amount": float(amount)}) | members

    first = api.post("/payments", sent, key=key)
    again = api.post("/payments", sent, key=key)

    assert (first.status_code, first.json()["error"]["code"]) == (422, code)
    assert (first.json()["error"]["retryable"], first.json()["error"]["field"]) == (False, "amount")
    assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")
    right = api.post("/payments", sent | {"amount": ORDERS[method]["amount"]}, key=key)
    assert (right.status_code, right.json()["error"]["code"]) == (409, "ONP409_IDEMPOTENCY_CONFLICT")
    assert nothing_was_made()
    assert is_taken(api, method, {"reference": sent["reference"]})["reference"] == sent["reference"]


def code_of(method: str, suffix: str) -> str:
    return f"ONP422_{'BANK_TRANSFER' if method in ('ARS', 'COP') else method}_{suffix}"


@rows(("method", "changes", "code", "faults"), cases(METHODS, *NO_NUMBERS))
def test_what_is_no_amount_is_refused(api: Api, method: str, changes: Changes, code: str, faults: Faults) -> None:
    is_refused(api, method, changes, code, faults)


@pytest.mark.parametrize("method", METHODS)
@rows("literal", ["1e400", "1e13", "1234567890123456.78", "150.0000000000000001", "-0", "1e-3"])
def test_an_amount_that_no_client_could_mean_is_refused(api: Api, method: str, literal: str) -> None:
    sent = json.dumps(order(method, {"amount": 987654321})).replace("987654321", literal)

    answer = api.post("/payments", raw=sent.encode())

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, AMOUNT)
    assert [field for field, _ in said(answer)] == ["amount"]
    assert nothing_was_made()


@pytest.mark.parametrize("method", METHODS)
@rows("literal", ["150.00", "150.000000", "1.5e2", "15E+1"])
def test_trailing_zeros_and_exponents_are_the_same_amount(api: Api, method: str, literal: str) -> None:
    sent = json.dumps(order(method, {"amount": 987654321})).replace("987654321", literal)

    assert api.post("/payments", raw=sent.encode()).json()["data"]["amount"] == 150


@pytest.mark.parametrize("method", [method for method in METHODS if method not in ("PIX", "MB_WAY")])
def test_a_cent_too_little_is_refused_for_good(api: Api, method: str) -> None:
    less = Decimal(LEAST[method]) - Decimal("0.01")

    is_refused_for_good(api, method, str(less), code_of(method, "AMOUNT_TOO_SMALL"))


@pytest.mark.parametrize("method", METHODS)
def test_a_cent_too_much_is_refused_for_good(api: Api, method: str) -> None:
    more = Decimal(MOST[method]) + Decimal("0.01")

    is_refused_for_good(api, method, str(more), code_of(method, "AMOUNT_TOO_LARGE"))


@pytest.mark.parametrize("method", METHODS)
@rows("amount", ["149.99", "150.00"])
def test_an_amount_that_the_fee_would_eat_is_too_small(api: Api, acme: Shop, method: str, amount: str) -> None:
    name = "BANK_TRANSFER" if method in ("ARS", "COP") else method
    currency = ORDERS[method]["currency"]
    PriceRule.objects.create(merchant=acme.sandbox, method=name, currency=currency, percentage=Decimal(0), fixed=150_00)
    answer = api.post("/payments", order(method, {"amount": float(amount)}))

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code_of(method, "AMOUNT_TOO_SMALL"))
    assert nothing_was_made()
    data = is_taken(api, method, {"amount": 150.01})
    assert (data["fee"], data["netAmount"]) == (150, 0.01)


@rows(("amount", "status"), [(1, 422), (3.48, 422), (3.49, 422), (3.50, 201)])
def test_a_boleto_must_be_worth_more_than_its_own_fee(api: Api, amount: float, status: int) -> None:
    answer = api.post("/payments", order("BOLETO", {"amount": amount}))

    assert answer.status_code == status
    if status == 422:
        assert answer.json()["error"]["code"] == "ONP422_BOLETO_AMOUNT_TOO_SMALL"
        assert nothing_was_made()


@pytest.mark.parametrize("method", METHODS)
def test_a_wrong_member_is_said_before_a_limit(api: Api, method: str) -> None:
    too_much = float(MOST[method]) + 0.01

    is_refused(api, method, {"amount": too_much, "payer.name": "M"}, "ONP400_PAYER", [("payer.name", "TOO_SHORT")])
