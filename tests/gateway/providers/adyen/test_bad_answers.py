"""Whatever Adyen answers, or does not: what may have taken effect is unclear, and nothing happens twice."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounts.base.ids import new_id
from gateway.methods.card.acquirer import AcquirerCard
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentResult, Rail, RefundOrder
from gateway.providers.adyen.provider import AdyenCredentials, AdyenProvider
from gateway.providers.errors import NotSent, Unclear
from tests.support.adyen.acquirer import NEVER_CLEAR, REFUSALS, Acquirer
from tests.support.adyen.books import state_data

RailFor, OrderOf = Callable[[str], Rail], Callable[[str], PaymentOrder]
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", NEVER_CLEAR)
def test_an_order_with_a_useless_answer_is_unclear_and_one_payment_in_the_end(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, failure: str
) -> None:
    rail, order = rail_for("MB_WAY"), order_of("MB_WAY")
    acquirer.will(failure)
    with pytest.raises(Unclear):
        rail.instruct(order)
    assert acquirer.elsewhere == []

    again = rail.ask(replace(order, asked_times=2), PaymentAction.PREPARE)
    assert again.answered == PaymentResult.WAITING
    assert len(acquirer.books.payments) == 1


@pytest.mark.parametrize("failure", REFUSALS)
def test_a_refusal_is_believed_at_first_and_says_nothing_about_what_was_sent_before(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, failure: str
) -> None:
    rail, order = rail_for("PIX"), order_of("PIX")
    acquirer.will(failure, failure)
    assert rail.instruct(order).answered == PaymentResult.REFUSED
    with pytest.raises(Unclear):
        rail.ask(replace(order, asked_times=2), PaymentAction.PREPARE)


@pytest.mark.parametrize("failure", [*NEVER_CLEAR[:6], *REFUSALS])
def test_a_cancellation_is_never_believed_by_its_answer(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, failure: str
) -> None:
    acquirer.will(failure)
    with pytest.raises(Unclear):
        rail_for("BOLETO").cancel(order_of("BOLETO"))


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", [one for one in NEVER_CLEAR if one != "unknown result"])
def test_a_refund_with_a_useless_answer_is_unclear_and_made_once(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, failure: str
) -> None:
    rail, order = rail_for("PIX"), order_of("PIX")
    money = rail.instruct(order).reference
    refund = RefundOrder(new_id("ref"), order.payment_id, money, Decimal("40.00"), "BRL", {}, NOON)
    acquirer.will(failure)
    with pytest.raises(Unclear):
        rail.refund(refund, NOON)

    assert rail.ask_refund(refund, NOON).answered == PaymentResult.UNKNOWN
    assert len(acquirer.books.changes) == 1


def test_what_reaches_nobody_was_not_sent(acquirer: Acquirer, order_of: OrderOf) -> None:
    nowhere = AdyenCredentials.model_validate(acquirer.credentials(base_url="https://localhost:9"))
    for rail in AdyenProvider(nowhere).rails():
        order = replace(order_of(rail.method), details={"confirmed": 1})
        if isinstance(rail, AcquirerCard):
            told = rail.confirm(order, state_data("credit"))
            assert (told.answered, told.details) == (PaymentResult.NOT_RECEIVED, {"idle": 1})
            assert rail.cancel(replace(order, details=order.details | told.details)).answered == PaymentResult.DONE
        else:
            with pytest.raises(NotSent):
                rail.instruct(order)


@pytest.mark.parametrize("failure", [*NEVER_CLEAR[:4], "unknown result", "422 in progress"])
def test_a_confirmation_with_a_useless_answer_is_unclear_and_one_payment(
    acquirer: Acquirer, rail_for: RailFor, order_of: OrderOf, failure: str
) -> None:
    rail, order = rail_for("CREDIT_CARD"), replace(order_of("CREDIT_CARD"), details={"confirmed": 1})
    assert isinstance(rail, AcquirerCard)
    acquirer.will(failure)
    with pytest.raises(Unclear):
        rail.confirm(order, state_data("credit"))

    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.UNKNOWN
    assert rail.cancel(order).answered == PaymentResult.UNKNOWN
    rail.confirm(order, state_data("credit"))
    assert len(acquirer.books.payments) == 1


def test_a_completion_that_adyen_refuses_is_unclear(rail_for: RailFor, order_of: OrderOf) -> None:
    rail, order = rail_for("CREDIT_CARD"), replace(order_of("CREDIT_CARD"), details={"confirmed": 2, "answered": 1})
    assert isinstance(rail, AcquirerCard)
    with pytest.raises(Unclear):
        rail.confirm(order, {"details": {"threeDSResult": "nobody.credit"}})
    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.UNKNOWN
    assert rail.ask(replace(order, details={"confirmed": 1, "answered": 1}), PaymentAction.PAY).answered == "waiting"
