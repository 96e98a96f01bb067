"""MB WAY, boletos and PIX as they are ordered, canceled and refunded at Adyen."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from accounts.base.ids import new_id
from gateway.methods.boleto.numbers import barcode_of
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentResult, Rail, RefundOrder
from gateway.providers.adyen.provider import AdyenProvider
from gateway.providers.errors import NotConnected, Unclear
from gateway.providers.observing import observing
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import psp

RailFor, OrderOf = Callable[[str], Rail], Callable[[str], PaymentOrder]
METHODS = ("MB_WAY", "BOLETO", "PIX")
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def a_refund(**other: object) -> RefundOrder:
    return replace(RefundOrder(new_id("ref"), "pay", psp(), Decimal("40.00"), "BRL", {}, NOON), **other)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_an_order_waits_for_its_payer_and_repeated_it_is_one_payment(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, method: str
) -> None:
    rail, order = rail_for(method), order_of(method)

    answers = [rail.instruct(order), rail.ask(replace(order, asked_times=2), PaymentAction.PREPARE)]

    [payment] = acquirer.books.payments.values()
    assert answers[0] == answers[1]
    assert (answers[0].answered, answers[0].reference) == (PaymentResult.WAITING, payment.psp)
    assert (payment.reference, payment.amount["value"]) == (order.payment_id, 10000)
    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.WAITING
    assert all(len(key) <= 64 for key in acquirer.keys)


def test_the_payer_gets_what_the_method_shows(rail_for: RailFor, order_of: OrderOf, acquirer: Acquirer) -> None:
    shown = {}
    for method in METHODS:
        rail, order = rail_for(method), order_of(method)
        shown[method] = rail.shown(rail.instruct(order).details)

    assert shown["MB_WAY"]["mbWay"]["phone"] == "+351*****4567"
    assert shown["PIX"]["pixCopyPaste"].startswith("000201")
    boleto = shown["BOLETO"]
    assert barcode_of(boleto["digitableLine"]) == boleto["barcode"]
    assert (boleto["barcode"][:3], boleto["dueDate"]) == ("033", "2026-11-30")
    asked = {one.method: one.asked for one in acquirer.books.payments.values()}
    assert asked["boletobancario"]["deliverAt"] == "2026-12-01T02:59:59Z"
    assert asked["pix"]["sessionValidity"] == "2026-11-22T13:00:00Z"


@pytest.mark.parametrize(
    ("line", "amount"),
    [("03399.37473 12342.547284 85272.394939 1 81630000001000", 10000), ("0339", 10000), ("x" * 47, 10000)],
)
def test_a_boleto_with_other_numbers_is_unclear(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, line: str, amount: int
) -> None:
    acquirer.books.results = [{"action": {"type": "voucher", "reference": line}}]
    with pytest.raises(Unclear):
        rail_for("BOLETO").instruct(order_of("BOLETO"))


@pytest.mark.parametrize(
    ("told", "answered", "code"),
    [
        ({"resultCode": "Refused", "refusalReasonCode": "2"}, PaymentResult.DECLINED, "CARD_REFUSED"),
        ({"resultCode": "Refused", "refusalReasonCode": "12"}, PaymentResult.DECLINED, "INSUFFICIENT_FUNDS"),
        ({"resultCode": "Cancelled", "refusalReasonCode": "16"}, PaymentResult.DECLINED, "CANCELED_BY_PAYER"),
        ({"resultCode": "Error", "refusalReasonCode": "4"}, PaymentResult.REFUSED, "ACQUIRER_REFUSED"),
        ({"resultCode": "Refused", "refusalReasonCode": "9"}, PaymentResult.REFUSED, "ACQUIRER_REFUSED"),
    ],
)
def test_a_refusal_is_sorted_by_its_reason(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, told: dict[str, str], answered: str, code: str
) -> None:
    acquirer.books.results = [dict(told)]
    outcome = rail_for("MB_WAY").instruct(order_of("MB_WAY"))
    assert (outcome.answered, outcome.failure and outcome.failure[0]) == (answered, code)


@pytest.mark.parametrize(
    "told",
    [
        {"resultCode": "Refused"},
        {"resultCode": "Refused", "refusalReasonCode": "999"},
        {"resultCode": "Error", "refusalReasonCode": "2"},
        {"resultCode": "PartiallyAuthorised"},
        {"resultCode": "Authorised", "pspReference": None},
        {"resultCode": "Pending", "action": None},
        {"resultCode": "Pending", "action": {"type": "redirect", "url": "https://elsewhere.example"}},
        {"amount": {"value": 9999, "currency": "EUR"}},
        {"amount": {"value": 10000, "currency": "XXX"}},
        {"merchantReference": "pay_00000000000000000000000000"},
    ],
    ids=str,
)
def test_what_is_in_no_list_or_of_another_payment_is_unclear(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, told: dict[str, object]
) -> None:
    acquirer.books.results = [dict(told)]
    with pytest.raises(Unclear):
        rail_for("MB_WAY").instruct(order_of("MB_WAY"))


def test_a_payment_that_is_paid_at_once_is_paid(acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf) -> None:
    acquirer.books.results = [{"resultCode": "Authorised"}]
    outcome = rail_for("MB_WAY").instruct(order_of("MB_WAY"))
    assert (outcome.answered, outcome.amount, outcome.currency) == (PaymentResult.DONE, Decimal("100.00"), "EUR")
    assert outcome.reference == acquirer.books.newest().psp


def test_a_cancellation_is_asked_for_and_told_later(acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf) -> None:
    rail, order = rail_for("PIX"), order_of("PIX")
    known = replace(order, reference=rail.instruct(order).reference)

    assert [rail.cancel(one).answered for one in (known, known, order)] == [PaymentResult.UNKNOWN] * 3

    assert [change.kind for change in acquirer.books.changes] == ["cancels", "cancels"]
    assert acquirer.calls[-3:] == [f"POST /payments/{known.reference}/cancels"] * 2 + ["POST /cancels"]


def test_a_refund_is_in_progress_and_sent_again_only_while_its_key_is_kept(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf
) -> None:
    rail, order = rail_for("PIX"), order_of("PIX")
    refund = a_refund(payment_reference=rail.instruct(order).reference)

    assert rail.refund(refund, NOON).answered == PaymentResult.UNKNOWN
    assert rail.ask_refund(refund, NOON + timedelta(days=5)).answered == PaymentResult.UNKNOWN
    before = len(acquirer.calls)
    for late in (replace(refund, sent_at=None), refund):
        assert rail.ask_refund(late, NOON + timedelta(days=7)).answered == PaymentResult.UNKNOWN

    assert (len(acquirer.books.changes), len(acquirer.calls)) == (1, before)
    assert acquirer.books.changes[0].reference == refund.refund_id


@pytest.mark.parametrize("money", [None, "", "E123/../x", "pay 1"])
def test_money_that_adyen_does_not_name_cannot_be_refunded(
    acquirer: Acquirer, rail_for: RailFor, money: str | None
) -> None:
    outcome = rail_for("PIX").refund(a_refund(payment_reference=money), NOON)
    assert (outcome.answered, outcome.failure and outcome.failure[0]) == (PaymentResult.DECLINED, "NO_PSP_REFERENCE")
    assert acquirer.calls == []


def test_a_refund_that_adyen_refuses_is_declined_at_first_and_unknown_later(
    rail_for: RailFor, acquirer: Acquirer
) -> None:
    assert rail_for("PIX").refund(a_refund(), NOON).answered == PaymentResult.DECLINED
    assert rail_for("PIX").ask_refund(a_refund(), NOON).answered == PaymentResult.UNKNOWN


def test_the_connection_check_lists_methods_and_says_why_it_fails(acquirer: Acquirer, provider: AdyenProvider) -> None:
    provider.check()
    assert acquirer.calls == ["POST /paymentMethods"]
    for failure in ("401", "403", "500", "redirect", "HTML"):
        acquirer.will(failure)
        with pytest.raises(NotConnected):
            provider.check()
    assert acquirer.elsewhere == []


@pytest.mark.parametrize(("failure", "seen"), [("401", "HTTP 401"), ("503", "HTTP 503"), ("422", ""), ("403", "")])
def test_whether_adyen_serves_is_seen_by_what_it_says_to_anybody(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, failure: str, seen: str
) -> None:
    acquirer.will(failure)
    with observing() as observation, suppress(Unclear):
        rail_for("PIX").instruct(order_of("PIX"))
    assert observation.failure == seen
