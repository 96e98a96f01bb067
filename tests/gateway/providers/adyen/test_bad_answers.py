"""Whatever Adyen answers, or does not: what may have taken effect is unclear, and nothing happens twice."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounts.base.ids import new_id
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentResult, Rail, RefundOrder
from gateway.providers.adyen.provider import AdyenCredentials, AdyenProvider
from gateway.providers.errors import NotSent, Unclear
from tests.support.adyen.acquirer import NEVER_CLEAR, REFUSALS, Acquirer

RailFor, OrderOf = Callable[[str], Rail], Callable[[str], PaymentOrder]
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


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
        with pytest.raises(NotSent):
            rail.instruct(order_of(rail.method))
