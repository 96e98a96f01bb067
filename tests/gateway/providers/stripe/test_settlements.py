"""Balance transactions and payouts of Stripe: listed page by page, read to the cent, named by our ids."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import stripe

from gateway.providers.client import shaped
from gateway.providers.errors import CallFailed, Unreadable
from gateway.providers.settlements import ReportedLine
from gateway.providers.stripe.provider import StripeProvider
from gateway.providers.stripe.settlements import KINDS, BalanceTransaction, Payout, Source
from tests.support.published import PUBLISHED
from tests.support.stripe.balance import Balance
from tests.support.stripe.stand_in import StandIn

FILE = PUBLISHED / "stripe-fixtures3.json"
PAY, REF = f"pay_{'0' * 26}", f"ref_{'0' * 26}"
DAY = datetime(2026, 11, 20, 15, tzinfo=UTC)
CHARGE: dict[str, Any] = {"id": "ch_1", "object": "charge", "metadata": {"onpay_payment": PAY}}
REFUND: dict[str, Any] = {"id": "re_1", "object": "refund", "charge": "ch_1", "metadata": {"onpay_refund": REF}}
DISPUTE: dict[str, Any] = {"id": "dp_1", "object": "dispute", "charge": "ch_1"}


@pytest.fixture
def balance(stand_in: StandIn) -> Balance:
    stand_in.balance.at = DAY
    return stand_in.balance


def lines(provider: StripeProvider, day: datetime = DAY) -> list[ReportedLine]:
    return list(provider.settlement_lines(f"{day:%Y-%m-%d}"))


def test_every_kind_of_line_is_read_with_our_ids(provider: StripeProvider, balance: Balance) -> None:
    balance.add("charge", 20000, 838, **CHARGE)
    balance.add("refund", -5000, 0, **REFUND)
    balance.add("dispute", -15000, 5500, **DISPUTE)
    balance.add("dispute_reversal", 15000, -5500, **DISPUTE)
    balance.add("fee", -990)
    balance.add("risk_reserved_funds", -100)

    payment, refund, dispute, won, fee, reserve = lines(provider)[::-1]

    assert (payment.kind, payment.object_id, payment.reference) == ("PAYMENT", PAY, "ch_1")
    assert (payment.gross, payment.fee, payment.net) == (Decimal("200.00"), Decimal("8.38"), Decimal("191.62"))
    assert (payment.currency, payment.at, payment.payout) == ("BRL", DAY, "")
    assert (refund.kind, refund.object_id, refund.reference, refund.payment_reference) == (
        "REFUND",
        REF,
        "re_1",
        "ch_1",
    )
    assert (dispute.kind, dispute.object_id, dispute.payment_reference) == ("DISPUTE", "", "ch_1")
    assert (dispute.gross, dispute.fee, won.fee) == (Decimal("-150.00"), Decimal("55.00"), Decimal("-55.00"))
    assert (fee.kind, fee.gross, fee.fee, fee.net) == ("FEE", 0, Decimal("9.90"), Decimal("-9.90"))
    assert (reserve.kind, reserve.net) == ("ADJUSTMENT", Decimal("-1.00"))


def test_a_payout_names_the_lines_of_other_days_that_it_paid(provider: StripeProvider, balance: Balance) -> None:
    charge = balance.add("charge", 20000, 838, **CHARGE)
    balance.at = DAY + timedelta(days=2)
    payout = balance.pay_out()

    told = lines(provider, balance.at)

    assert {one.id: one.payout for one in told if one.kind == "PAYMENT"} == {charge["id"]: payout["id"]}
    assert {one.net for one in told if one.kind == "PAYOUT"} == {Decimal("-191.62")}
    assert [one.payout for one in lines(provider)] == [""]


def test_a_manual_payout_names_no_lines(provider: StripeProvider, balance: Balance) -> None:
    balance.add("charge", 20000, 838, **CHARGE)
    payout = balance.pay_out(automatic=False)

    assert [(one.kind, one.payout) for one in lines(provider)] == [("PAYOUT", payout["id"]), ("PAYMENT", "")]


def test_a_charge_in_another_currency_keeps_both(provider: StripeProvider, balance: Balance) -> None:
    balance.add("charge", 3100, 100, **CHARGE)["source"].update(amount=20000, currency="mxn")

    (line,) = lines(provider)

    assert (line.gross, line.gross_currency) == (Decimal("200.00"), "MXN")
    assert (line.fee, line.net, line.currency) == (Decimal("1.00"), Decimal("30.00"), "BRL")


@pytest.mark.parametrize("wrong", [{"currency": "jpy"}, {"net": 1}])
def test_what_cannot_be_booked_is_refused(provider: StripeProvider, balance: Balance, wrong: Any) -> None:
    balance.add("charge", 20000, 838).update(wrong)

    with pytest.raises(Unreadable, match="txn_"):
        lines(provider)


def test_a_page_that_fails_is_no_end_of_the_list(stand_in: StandIn, provider: StripeProvider, balance: Balance) -> None:
    for n in range(5):
        balance.add("charge", 20000, 838, **CHARGE | {"id": f"ch_{n}"})
    assert len(lines(provider)) == 5

    stand_in.will("", "500", on="balance_transactions")
    with pytest.raises(CallFailed):
        lines(provider)


@pytest.mark.skipif(not FILE.exists(), reason="Stripe's examples (ONPAY_PUBLISHED_FILES) are not at hand")
def test_the_published_examples_and_the_official_types_have_what_is_read() -> None:
    told = json.loads(FILE.read_text())["resources"]

    transaction = shaped(told["balance_transaction"], BalanceTransaction)
    assert (transaction.amount, transaction.fee, transaction.net) == (100, 0, 100)
    assert KINDS[transaction.reporting_category] == "PAYMENT"
    assert shaped(told["payout"], Payout).automatic
    for name in ("charge", "refund", "dispute", "payout"):
        assert shaped(told[name], Source).id == told[name]["id"]
    assert set(BalanceTransaction.__dataclass_fields__) <= stripe.BalanceTransaction.__annotations__.keys()
