"""Money comes in as an exact decimal number or not at all, and goes out as the same number."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.http import HttpResponse

from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from webhooks.models import Event


def of(amount: str, **members: Any) -> bytes:
    """The body of a PIX payment whose amount is written exactly so."""
    return json.dumps(pix(amount="HERE", **members)).replace('"HERE"', amount).encode()


def exact(answer: HttpResponse) -> Any:
    """The data of an answer, its fractions as decimals."""
    return json.loads(answer.content, parse_float=Decimal)["data"]


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("150", "150"),
        ("150.0", "150"),
        ("150.00", "150"),
        ("10.000", "10"),
        ("10.0000000000000000000000000", "10"),
        ("12.3400", "12.34"),
        ("1e2", "100"),
        ("1E2", "100"),
        ("1.5e+1", "15"),
        ("12345e-2", "123.45"),
        ("12345000e-5", "123.45"),
        ("0.1e1", "1"),
        ("0.02", "0.02"),
        ("0.29", "0.29"),
        ("1.10", "1.1"),
        ("8.41", "8.41"),
        ("4503.59", "4503.59"),
        ("249999.99", "249999.99"),
        ("250000", "250000"),
    ],
)
def test_an_amount_is_taken_as_written(api: Api, written: str, amount: str) -> None:
    created = exact(api.post("/payments", raw=of(written)))

    assert created["amount"] == Decimal(amount)
    assert exact(api.get(f"/payments/{created['id']}"))["amount"] == Decimal(amount)
    assert exact(api.get("/payments"))[0]["amount"] == Decimal(amount)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    "written",
    [
        '"150.00"',
        '"12"',
        '""',
        '"1_000"',
        '"NaN"',
        '"sNaN"',
        '"Infinity"',
        '"\\u0661\\u0662"',
        "true",
        "false",
        "null",
        "[]",
        "[150]",
        "{}",
        '{"value": 150}',
        "0",
        "0.00",
        "-0",
        "-0.0",
        "0e5",
        "-1",
        "-150.00",
        "10.001",
        "0.005",
        "1e-3",
        "1e-400",
        "1e-999999999",
        "1e400",
        "1e999999999",
        "-1e999999999",
        "1000000000000",
        "1e12",
        "12345678901234567",
        "1234567890123456.78",
        "999999999999.999",
        "150.00000000000000000000000001",
    ],
)
def test_what_is_no_amount_is_refused_and_never_rounded(api: Api, written: str) -> None:
    answer = api.post("/payments", raw=of(written))

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["field"]) == ("ONP400_AMOUNT", "amount")
    assert Payment.objects.count() == 0


def test_a_payment_without_an_amount_is_refused(api: Api) -> None:
    error = api.post("/payments", pix(amount=None)).json()["error"]

    assert (error["code"], error["field"], error["fields"][0]["code"]) == ("ONP400_AMOUNT", "amount", "REQUIRED")


@pytest.mark.parametrize(
    "written", ["NaN", "Infinity", "-Infinity", "nan", "010", "+1", ".5", "5.", "1_000", "0x10", "1,50", "١٢", "--1"]
)
def test_what_is_no_json_number_is_no_json(api: Api, written: str) -> None:
    answer = api.post("/payments", raw=of(written))

    assert (answer.status_code, answer.json()["onpayCode"]) == (400, "ONP400_MALFORMED_JSON")
    assert Payment.objects.count() == 0


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("0.01", "ONP422_PIX_AMOUNT_TOO_SMALL"),
        ("250000.01", "ONP422_PIX_AMOUNT_TOO_LARGE"),
        ("1e6", "ONP422_PIX_AMOUNT_TOO_LARGE"),
        ("999999999999.99", "ONP422_PIX_AMOUNT_TOO_LARGE"),
        ("999999999999.990", "ONP422_PIX_AMOUNT_TOO_LARGE"),
    ],
)
def test_an_amount_outside_the_limits_is_refused_for_good(api: Api, written: str, code: str) -> None:
    answer = api.post("/payments", raw=of(written))

    assert (answer.status_code, answer.json()["onpayCode"]) == (422, code)
    assert answer.json()["error"]["retryable"] is False
    assert (Payment.objects.count(), Event.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("amount", "fee", "net"),
    [
        ("0.02", "0.01", "0.01"),
        ("0.50", "0.01", "0.49"),
        ("0.51", "0.02", "0.49"),
        ("1.00", "0.02", "0.98"),
        ("50.00", "0.51", "49.49"),
        ("49.99", "0.50", "49.49"),
        ("100.00", "1.00", "99.00"),
        ("150.00", "1.50", "148.50"),
        ("249999.99", "2475.01", "247524.98"),
        ("250000.00", "2475.01", "247524.99"),
    ],
)
def test_the_fee_is_rounded_half_up(api: Api, amount: str, fee: str, net: str) -> None:
    created = exact(api.post("/payments", raw=of(amount)))

    assert (created["fee"], created["netAmount"]) == (Decimal(fee), Decimal(net))


def test_every_sum_in_an_answer_is_a_number(api: Api, acme: Shop) -> None:
    created = api.post("/payments", pix()).json()["data"]
    balance = api.get(f"/companies/{acme.company.id}/balance").json()["data"]

    sums = [created[member] for member in ("amount", "fee", "netAmount", "refundedAmount")]
    sums += [wallet[bucket] for wallet in balance["wallets"] for bucket in ("available", "releasing", "blocked")]
    assert {type(one) for one in sums} <= {int, float}


def test_a_balance_adds_up_to_the_cent(api: Api, acme: Shop) -> None:
    for amount in ("0.11", "0.21"):
        created = exact(api.post("/payments", raw=of(amount)))
        api.post(f"/simulations/payments/{created['id']}", {"status": "PAID"})

    [wallet] = exact(api.get(f"/companies/{acme.company.id}/balance", currency="BRL"))["wallets"]

    assert (wallet["available"], wallet["total"]) == (Decimal("0.3"), Decimal("0.3"))


@pytest.mark.parametrize("amount", ["0.29", "8.41", "4503.59", "249999.99"])
def test_an_event_says_the_same_sums_as_the_lookup(api: Api, amount: str) -> None:
    created = exact(api.post("/payments", raw=of(amount)))

    api.post(f"/simulations/payments/{created['id']}", {"status": "PAID"})

    event = json.loads(bytes(Event.objects.get(object_id=created["id"]).body), parse_float=Decimal)
    assert event["data"] == exact(api.get(f"/payments/{created['id']}"))
    assert event["data"]["amount"] == Decimal(amount)


def test_numbers_of_members_nobody_knows_do_no_harm(api: Api) -> None:
    for number in ("1e400", "1e999999999", "-1e-999999999", "9" * 30, "0." + "1" * 30):
        body = json.dumps(pix(note="HERE")).replace('"HERE"', number).encode()

        assert api.post("/payments", raw=body).status_code == 201
