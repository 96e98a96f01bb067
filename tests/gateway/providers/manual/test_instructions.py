"""What payers are given to pay to a company's own account; nobody is called for it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from gateway.methods.rail import PaymentAction, PaymentResult, Rail, RefundOrder
from tests.support.manual_provider import ARGENTINA, BRAZIL, CBU, CLABE, COLOMBIA, CREDENTIALS, MEXICO, manual
from tests.support.rails import RAILS_UNDER_TEST, UnderTest

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SERVED = [one for one in RAILS_UNDER_TEST if one.method != "MB_WAY"]
every_rail = pytest.mark.parametrize("one", SERVED, ids=str)


def rail_of(one: UnderTest) -> Rail:
    rails = manual(CREDENTIALS[one.currency]).rails()
    return next(rail for rail in rails if (rail.method, rail.markets[0].currency) == (one.method, one.currency))


def given_to(method: str, currency: str, number: int = 1) -> tuple[UnderTest, dict[str, Any]]:
    """What the payer of an order gets: the details of a payment."""
    one = next(one for one in SERVED if (one.method, one.currency) == (method, currency))
    return one, dict(rail_of(one).instruct(one.order(number)).details)


@every_rail
def test_the_same_order_gets_the_same_instructions_and_another_order_others(one: UnderTest) -> None:
    rail = rail_of(one)

    assert rail.instruct(one.order(1)) == rail.instruct(one.order(1))
    assert rail.instruct(one.order(1)).details != rail.instruct(one.order(2)).details


@every_rail
def test_nobody_is_called_and_only_people_know_what_arrived(one: UnderTest) -> None:
    rail, order = rail_of(one), one.order()
    refund = RefundOrder("ref_1", order.payment_id, None, Decimal(1), one.currency)

    assert not rail.calls_provider(order)
    for about in PaymentAction:
        answer = rail.ask(order, about)
        assert (answer.answered, answer.ask_after_s) == (PaymentResult.WAITING, None)
    assert rail.cancel(order).answered == PaymentResult.DONE
    assert rail.refund(refund, NOON).answered == rail.ask_refund(refund, NOON).answered == PaymentResult.UNKNOWN


def test_spei_gives_the_companys_clabe() -> None:
    one, details = given_to("SPEI", "MXN")
    shown = rail_of(one).shown(details)["bankDetails"]

    reference = shown.pop("paymentReference")
    assert shown == {
        "rail": "SPEI",
        "clabe": CLABE,
        "bankName": "BBVA Mexico",
        "bankCode": "012",
        "beneficiaryName": MEXICO["holder"],
        "beneficiaryTaxId": MEXICO["tax_id"],
        "amount": Decimal("100.00"),
        "currency": "MXN",
    }
    assert len(reference) == 7 and reference.isdigit()  # as long as a numeric reference of SPEI may be


def test_an_argentine_transfer_gives_the_companys_account_and_alias() -> None:
    one, details = given_to("BANK_TRANSFER", "ARS")
    shown = rail_of(one).shown(details)["bankDetails"]

    assert (shown["cvu"], shown["alias"], shown["bankCode"]) == (CBU, ARGENTINA["alias"], "285")
    assert (shown["beneficiaryName"], shown["beneficiaryTaxId"]) == (ARGENTINA["holder"], ARGENTINA["tax_id"])


@pytest.mark.parametrize(
    ("method", "lines"),
    [
        (
            "BANK_TRANSFER",
            [("holder", "Acme SAS"), ("tax_id", "9001234567"), ("bank", "Bancolombia"), ("savings", "12345678901")],
        ),
        ("NEQUI", [("holder", "Acme SAS"), ("nequi", "3001234567")]),
        ("BRE_B", [("holder", "Acme SAS"), ("bre_b", "@acme2026")]),
        ("PSE", [("holder", "Acme SAS")]),
    ],
)
def test_a_redirect_method_gives_a_page_that_shows_the_account(method: str, lines: list[tuple[str, str]]) -> None:
    one, details = given_to(method, "COP")
    pay_to = details["payTo"]

    assert details["checkout"] is True
    assert pay_to["lines"] == lines
    assert pay_to["page"] == (COLOMBIA["pse_page"] if method == "PSE" else "")
    assert pay_to["texts"] == {"en": COLOMBIA["instructions_en"], "es": COLOMBIA["instructions_es"]}
    assert len(pay_to["reference"]) == 7
    assert rail_of(one).instruct(one.order()).expires_after_s == COLOMBIA["payers_time_s"]


def test_references_of_many_orders_hardly_ever_meet() -> None:
    found = {given_to("SPEI", "MXN", number)[1]["bankDetails"]["paymentReference"] for number in range(1000)}

    assert len(found) > 990


def test_the_default_time_of_a_redirect_method_is_a_day() -> None:
    rail = manual({"holder": "Acme", "nequi_number": "3001234567"}).rails()[0]
    one = next(one for one in SERVED if one.method == "NEQUI")

    assert rail.instruct(one.order()).expires_after_s == timedelta(days=1).total_seconds()
    assert BRAZIL
