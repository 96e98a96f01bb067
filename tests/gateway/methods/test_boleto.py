"""The numbers of a boleto, read back by FEBRABAN's rules, and what a request for one must say."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.base.ids import CROCKFORD, new_id
from gateway.customers.payer import Payer
from gateway.methods.boleto.numbers import barcode, digitable_line, due_date_factor, mod10, mod11, spaced
from gateway.methods.rail import PaymentDraft, PaymentOutcome, PaymentResult
from tests.support.boletos import ADDRESS, MARIA, NOON, RAIL, an_order
from tests.support.br_codes import parse

OURS = "99991164700000150000001000000000000000000123"
OUR_LINE = "99990001030000000000000000001230116470000015000"
REAL = "00193373700000001000500940144816060680935031"
REAL_LINE = "00190500954014481606906809350314337370000000100"


def read_line(line: str, today: date) -> tuple[str, date, Decimal, str]:
    """A bank's reader, on its own: checks all four check digits; returns bank, due date, amount and free field."""
    assert re.fullmatch(r"\d{47}", line)
    first, second, third, check, factor, amount = (
        line[:10], line[10:21], line[21:32], line[32], line[33:37], line[37:]
    )  # fmt: skip
    for part in (first, second, third):
        doubled = [int(d) * w for d, w in zip(part[-2::-1], [2, 1] * 5, strict=False)]
        total = sum(n - 9 if n > 9 else n for n in doubled)
        assert (total + int(part[-1])) % 10 == 0
    free_field = first[4:9] + second[:10] + third[:10]
    unchecked = first[:4] + factor + amount + free_field
    total = sum(int(d) * w for d, w in zip(unchecked[::-1], [2, 3, 4, 5, 6, 7, 8, 9] * 6, strict=False))
    remainder = total * 10 % 11
    assert int(check) == (remainder if remainder not in (0, 1, 10) else 1)
    candidates = [date(1997, 10, 7) + timedelta(days=int(factor) + 9000 * turn) for turn in range(4)]
    due = min(candidates, key=lambda day: abs(day - today))
    return first[:3], due, Decimal(amount) / 100, free_field


def said(payer: Payer = MARIA, due: Any = "2026-12-01", now: datetime = NOON) -> list[tuple[str, str]]:
    faults = RAIL.faults(PaymentDraft(payer, now, "BRL", due), strict=False)
    return [(fault.field, fault.code) for fault in faults]


@pytest.mark.parametrize(
    ("day", "factor"),
    [
        ("1997-10-07", 0), ("2000-07-03", 1000), ("2025-02-21", 9999), ("2025-02-22", 1000), ("2026-12-01", 1647),
        ("2049-10-13", 9999), ("2049-10-14", 1000),
    ],
)  # fmt: skip
def test_the_factor_counts_days_and_starts_again_after_9999(day: str, factor: int) -> None:
    assert due_date_factor(date.fromisoformat(day)) == factor


def test_the_contracts_example_is_reproduced_to_the_last_digit() -> None:
    assert barcode("999", date(2026, 12, 1), 150_00, "0001000000000000000000123") == OURS
    assert digitable_line(OURS) == OUR_LINE
    assert spaced(OUR_LINE) == "99990.00103 00000.000000 00000.001230 1 16470000015000"


def test_a_real_slip_is_reproduced_to_the_last_digit() -> None:
    assert barcode("001", date(1997, 10, 7) + timedelta(days=3737), 1_00, "0500940144816060680935031") == REAL
    assert digitable_line(REAL) == REAL_LINE
    assert read_line(REAL_LINE, date(2008, 1, 1)) == ("001", date(2007, 12, 31), Decimal(1), REAL[19:])


@pytest.mark.parametrize(("digits", "check"), [("0", 1), ("5", 1), ("6", 1), ("1", 9), ("999", 7)])
def test_the_barcodes_check_digit_is_never_zero(digits: str, check: int) -> None:
    assert mod11(digits) == check


@pytest.mark.parametrize(("digits", "check"), [("001905009", 5), ("4014481606", 9), ("0680935031", 4), ("0", 0)])
def test_the_check_digit_of_a_field_is_mod_10(digits: str, check: int) -> None:
    assert mod10(digits) == check


def test_an_order_becomes_a_slip_that_says_what_was_asked() -> None:
    outcome = RAIL.instruct(an_order())

    details = outcome.details
    assert outcome.answered == PaymentResult.WAITING
    assert read_line(details["digitableLine"], NOON.date()) == (
        "999", date(2026, 12, 1), Decimal(150), outcome.reference
    )  # fmt: skip
    assert details["barcode"][19:] == outcome.reference
    assert details["documentNumber"] == details["barcode"][-10:]
    assert (details["dueDate"], details["beneficiary"]) == ("2026-12-01", "Loja Exemplo LTDA")
    pix = parse(details["pixCopyPaste"])
    assert (pix["54"], pix["59"]) == ("150.00", "LOJA EXEMPLO LTDA")
    assert parse(pix["26"])["25"] == "pix.sandbox.onpay.example/v2/cobv/01JD3K5V8M0000000000000002"


def test_asking_again_gives_the_same_slip_and_another_payment_another() -> None:
    same = RAIL.instruct(an_order())
    others = {RAIL.instruct(an_order(payment_id=new_id("pay"))).details["barcode"] for _ in range(2_000)}

    assert same == RAIL.instruct(an_order())
    assert len(others | {same.details["barcode"]}) == 2_001


@given(
    ulid=st.text(alphabet=CROCKFORD, min_size=26, max_size=26),
    cents=st.integers(min_value=0, max_value=25_000_000),
    due=st.dates(min_value=date(2026, 1, 1), max_value=date(2049, 10, 13)),
)
def test_every_slip_is_read_back_as_it_was_made(ulid: str, cents: int, due: date) -> None:
    outcome = RAIL.instruct(an_order(payment_id=f"pay_{ulid}", amount=Decimal(cents) / 100, due_date=due))

    read = read_line(outcome.details["digitableLine"], due)
    assert read == ("999", due, Decimal(cents) / 100, outcome.reference)


def test_a_payment_object_shows_the_slip_and_keeps_the_rest() -> None:
    shown = RAIL.shown(RAIL.instruct(an_order()).details)

    assert list(shown) == ["barcode", "digitableLine", "documentNumber", "dueDate", "beneficiary"]


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        ("PAID", PaymentOutcome(PaymentResult.DONE)),
        ("EXPIRED", PaymentOutcome(PaymentResult.DONE)),
        ("FAILED", PaymentOutcome(PaymentResult.DECLINED, failure=("SIMULATED", "The failure was simulated."))),
    ],
)
def test_a_sandbox_merchant_gets_the_outcome_that_was_asked_for(asked: str, outcome: PaymentOutcome) -> None:
    assert RAIL.simulate(asked, NOON) == outcome


@pytest.mark.parametrize(
    ("due", "ends"),
    [
        (date(2026, 12, 1), datetime(2026, 12, 5, 2, 59, 59, 999_000, tzinfo=UTC)),
        (date(2028, 2, 27), datetime(2028, 3, 2, 2, 59, 59, 999_000, tzinfo=UTC)),
    ],
)
def test_a_slip_can_be_paid_until_three_days_after_it_is_due(due: date, ends: datetime) -> None:
    assert RAIL.deadline(NOON, RAIL.markets[0].expires_in_s, due) == ends


def test_a_complete_request_is_taken() -> None:
    assert said() == []
    assert said(replace(MARIA, address=ADDRESS | {"postalCode": "01.310-100", "state": "sp"})) == []


@pytest.mark.parametrize("address", [None, {}, dict.fromkeys(ADDRESS, "  "), dict.fromkeys(ADDRESS)])
def test_every_missing_member_is_named_in_the_contracts_order(address: dict[str, Any] | None) -> None:
    names = [
        "payer.taxId", "payer.email", "payer.address.street", "payer.address.number", "payer.address.district",
        "payer.address.city", "payer.address.state", "payer.address.postalCode", "dueDate",
    ]  # fmt: skip
    assert said(Payer("Maria Silva", address=address), due=None) == [(name, "REQUIRED") for name in names]


def test_what_is_wrong_is_said_after_what_is_missing() -> None:
    payer = replace(MARIA, tax_id="123", email=None, address=ADDRESS | {"state": "XX", "postalCode": "1310-100"})

    assert said(payer, due="2026-11-19") == [
        ("payer.email", "REQUIRED"),
        ("payer.taxId", "INVALID"),
        ("payer.address.state", "INVALID"),
        ("payer.address.postalCode", "INVALID"),
        ("dueDate", "OUT_OF_RANGE"),
    ]


@pytest.mark.parametrize(
    "due", ["20261201", "2026-W49-2", "2026-02-30", "01/12/2026", "2026-12-01T00:00", 20261201, []]
)
def test_what_is_no_date_is_refused(due: Any) -> None:
    assert said(due=due) == [("dueDate", "INVALID")]


@pytest.mark.parametrize(
    ("now", "today"),
    [
        (datetime(2026, 11, 20, 2, 59, 59, tzinfo=UTC), date(2026, 11, 19)),
        (datetime(2026, 11, 20, 3, 0, 0, tzinfo=UTC), date(2026, 11, 20)),
    ],
)
def test_days_are_counted_on_the_calendar_of_sao_paulo(now: datetime, today: date) -> None:
    refused = [("dueDate", "OUT_OF_RANGE")]
    answers = [said(due=(today + timedelta(days=days)).isoformat(), now=now) for days in (-1, 0, 365, 366)]

    assert answers == [refused, [], [], refused]


def test_check_digits_count_in_production_only() -> None:
    wish = PaymentDraft(replace(MARIA, tax_id="52998224724"), NOON, "BRL", "2026-12-01")

    assert RAIL.faults(wish, strict=False) == []
    assert [fault.field for fault in RAIL.faults(wish, strict=True)] == ["payer.taxId"]
