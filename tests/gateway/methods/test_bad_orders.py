"""Orders that break one rule of the contract (§4.3), for every method: what is said, and that nothing is made."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.bad_orders import (
    COLOMBIA,
    METHODS,
    ORDERS,
    Changes,
    Faults,
    cases,
    in_days,
    is_refused,
    is_taken,
    nothing_was_made,
    order,
    said,
)
from tests.support.rows import rows

NO_TIME_OF_ITS_OWN = ["BOLETO", *COLOMBIA, "MB_WAY"]


PAYER, CURRENCY = "ONP400_PAYER", "ONP400_CURRENCY"
TOKEN, EXPIRES_IN = "ONP400_PAYMENT_METHOD_TOKEN", "ONP400_EXPIRES_IN"
LONG_EMAIL = f"{'x' * 64}@{'y' * 60}.{'z' * 60}.{'w' * 60}.{'v' * 10}.io"
OF_EVERY_METHOD: list[tuple[Changes, str, Faults]] = [
    ({"payer.name": "M"}, PAYER, [("payer.name", "TOO_SHORT")]),
    ({"payer.name": "x" * 121}, PAYER, [("payer.name", "TOO_LONG")]),
    ({"payer.name": 5}, PAYER, [("payer.name", "INVALID")]),
    ({"payer.name": "Ma\x00ria"}, PAYER, [("payer.name", "INVALID")]),
    ({"payer.email": "maria"}, PAYER, [("payer.email", "INVALID")]),
    ({"payer.email": LONG_EMAIL}, PAYER, [("payer.email", "INVALID")]),
    ({"payer.email": ["maria@example.com"]}, PAYER, [("payer.email", "INVALID")]),
    ({"payer.phone": "1234567"}, PAYER, [("payer.phone", "INVALID")]),
    ({"payer.phone": "+1234567890123456"}, PAYER, [("payer.phone", "INVALID")]),
    ({"payer.phone": "+55 11 CALL-ME-NOW"}, PAYER, [("payer.phone", "INVALID")]),
    ({"payer.phone": 5511999998888}, PAYER, [("payer.phone", "INVALID")]),
    ({"payer.taxId": 52998224725}, PAYER, [("payer.taxId", "INVALID")]),
    ({"payer.taxId": ""}, PAYER, [("payer.taxId", "INVALID")]),
    ({"paymentMethodToken": "pmt_sandbox_approved"}, TOKEN, [("paymentMethodToken", "NOT_ALLOWED")]),
    ({"paymentMethodToken": 5}, TOKEN, [("paymentMethodToken", "INVALID")]),
    (
        {"payer.name": "M", "payer.email": "maria", "paymentMethodToken": "pmt_sandbox_approved"},
        PAYER,
        [("payer.name", "TOO_SHORT"), ("payer.email", "INVALID"), ("paymentMethodToken", "NOT_ALLOWED")],
    ),
    (
        {"amount": 0, "reference": "", "payer.phone": "12"},
        "ONP400_AMOUNT",
        [("amount", "OUT_OF_RANGE"), ("reference", "TOO_SHORT"), ("payer.phone", "INVALID")],
    ),
    (
        {"reference": "x" * 129, "payer.email": "maria"},
        "ONP400_REFERENCE",
        [("reference", "TOO_LONG"), ("payer.email", "INVALID")],
    ),
]


@rows(("method", "changes", "code", "faults"), cases(METHODS, *OF_EVERY_METHOD))
def test_a_fault_is_named_and_makes_nothing(api: Api, method: str, changes: Changes, code: str, faults: Faults) -> None:
    is_refused(api, method, changes, code, faults)


@pytest.mark.parametrize("method", METHODS)
@rows("payer", ["Maria Silva", 5, True, [], [{"name": "Maria Silva"}]])
def test_a_payer_is_an_object(api: Api, method: str, payer: Any) -> None:
    answer = api.post("/payments", order(method, {"payer": payer}))

    assert (answer.status_code, said(answer)[0]) == (400, ("payer", "INVALID"))
    assert nothing_was_made()


@pytest.mark.parametrize("method", METHODS)
def test_a_currency_of_another_market_is_refused(api: Api, method: str) -> None:
    own = {"MXN"} if method == "SPEI" else {"ARS", "COP"} if method in ("ARS", "COP") else {ORDERS[method]["currency"]}
    for currency in sorted({"BRL", "MXN", "EUR", "COP", "ARS", "USD"} - own):
        answer = api.post("/payments", order(method, {"currency": currency}))

        assert (answer.status_code, answer.json()["error"]["code"]) == (400, CURRENCY)
        assert said(answer)[0] == ("currency", "UNKNOWN_VALUE")
    assert nothing_was_made()


@pytest.mark.parametrize("method", METHODS)
def test_a_wrong_currency_makes_no_right_member_wrong(api: Api, method: str) -> None:
    faults = [("currency", "UNKNOWN_VALUE"), ("payer.email", "INVALID")]

    is_refused(api, method, {"currency": "USD", "payer.email": "maria"}, CURRENCY, faults)


@pytest.mark.parametrize("method", ["PIX", "SPEI", "ARS"])
@rows(
    ("seconds", "fault"),
    [
        (0, "OUT_OF_RANGE"), (-1, "OUT_OF_RANGE"), (59, "OUT_OF_RANGE"), (2_592_001, "OUT_OF_RANGE"),
        (10**30, "INVALID"), (3600.5, "INVALID"), ("3600", "INVALID"), (True, "INVALID"), ([3600], "INVALID"),
    ],
)  # fmt: skip
def test_a_time_out_of_range_is_refused(api: Api, method: str, seconds: Any, fault: str) -> None:
    is_refused(api, method, {"expiresIn": seconds}, EXPIRES_IN, [("expiresIn", fault)])


@pytest.mark.parametrize("method", ["SPEI", "ARS"])
def test_a_bank_transfer_has_an_hour_at_least(api: Api, method: str) -> None:
    is_refused(api, method, {"expiresIn": 3599}, EXPIRES_IN, [("expiresIn", "OUT_OF_RANGE")])


@pytest.mark.parametrize("method", NO_TIME_OF_ITS_OWN)
@rows("seconds", [-1, 1, 2_592_001, "soon"])
def test_a_time_is_ignored_where_the_method_has_a_fixed_one(api: Api, method: str, seconds: Any) -> None:
    data = is_taken(api, method, {"expiresIn": seconds})

    created, expires = (datetime.fromisoformat(data[name]) for name in ("createdAt", "expiresAt"))
    minutes = {"BRE_B": 10, "MB_WAY": 4}.get(method, 30)
    if method == "BOLETO":
        midnight = datetime.fromisoformat(f"{in_days(9)}T03:00:00+00:00")
        assert expires.astimezone(UTC) == midnight - timedelta(milliseconds=1)
    else:
        assert expires - created == timedelta(minutes=minutes)


@pytest.mark.parametrize("method", [method for method in METHODS if method not in ("BOLETO", "PIX")])
@rows("due", ["1999-01-01", "soon", 5, []])
def test_a_due_date_is_ignored_by_methods_without_one(api: Api, method: str, due: Any) -> None:
    assert "dueDate" not in is_taken(api, method, {"dueDate": due})


OPTIONAL = ["payer.email", "payer.phone", "payer.taxIdType", "returnUrl", "dueDate", "expiresIn", "paymentMethodToken"]
NEEDED_AFTER_ALL = [("BOLETO", "payer.email"), ("BOLETO", "dueDate"), ("MB_WAY", "payer.phone")]


@rows(
    ("method", "member"),
    [(method, name) for method in METHODS for name in OPTIONAL if (method, name) not in NEEDED_AFTER_ALL],
)
def test_what_is_optional_may_be_null(api: Api, method: str, member: str) -> None:
    is_taken(api, method, {member: None})


@pytest.mark.parametrize("method", METHODS)
def test_a_payer_of_two_letters_or_a_hundred_and_twenty_is_taken(api: Api, method: str) -> None:
    names = ("Bo", "x" * 120, "  Bo  ")

    kept = [
        api.post("/payments", order(method, {"payer.name": name})).json()["data"]["customer"]["name"] for name in names
    ]

    assert kept == ["Bo", "x" * 120, "Bo"]
