"""What banks answer to payment files: applied once, to exactly the order that was handed over."""

from decimal import Decimal

import pytest

from accounts.base.clock import utcnow
from gateway.bank_files.shapes import OrderAnswer, OrderOutcome
from gateway.payout_batches import answers, due
from gateway.payout_batches.models import BatchAnswer, BatchOrder
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.batches import handed_over, manual_account, released
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.scripted_provider import rewritten

pytestmark = pytest.mark.django_db(transaction=True)
O = OrderOutcome  # noqa: E741


@pytest.fixture
def order(acme: Shop, address: str) -> BatchOrder:
    rewritten()
    api: Api = with_real_money(acme, address)
    account = manual_account()
    swept(accepted(api, acme, amount=10).pk)
    handed_over(released(account))
    return BatchOrder.objects.select_related("batch").get()


def told(order: BatchOrder, *outcomes: OrderOutcome, number: str = "", account: str = "", amount: str = "10.00") -> str:
    """What became of the last one."""
    for outcome in outcomes:
        one = OrderAnswer(number or order.number, outcome, Decimal(amount), end_to_end_id="E1")
        answers.store("a file", [account or order.batch.account_id], [one], utcnow())
        due.run_due()
    return BatchAnswer.objects.latest("pk").found


@pytest.mark.parametrize(
    ("outcomes", "found", "status"),
    [
        ((O.ACCEPTED, O.UNCERTAIN), "NOTED", "PROCESSING"),
        ((O.PAID,), "APPLIED", "COMPLETED"),
        ((O.PAID, O.PAID), "REPEATED", "COMPLETED"),
        ((O.REJECTED,), "APPLIED", "FAILED"),
        ((O.REJECTED, O.REJECTED), "REPEATED", "FAILED"),
        ((O.REJECTED, O.PAID), "CONTRADICTS", "FAILED"),
        ((O.PAID, O.REJECTED), "CONTRADICTS", "COMPLETED"),
        ((O.PAID, O.RETURNED), "APPLIED", "RETURNED"),
        ((O.RETURNED,), "APPLIED", "RETURNED"),
        ((O.PAID, O.ACCEPTED), "NOTED", "COMPLETED"),
    ],
)
def test_answers_in_any_order_move_money_once(
    order: BatchOrder, outcomes: tuple[OrderOutcome, ...], found: str, status: str
) -> None:
    assert told(order, *outcomes) == found
    assert Withdrawal.objects.get().status == status


def test_what_does_not_fit_moves_nothing_and_waits_for_staff(order: BatchOrder) -> None:
    assert told(order, O.PAID, number="X") == "UNKNOWN_ORDER"
    assert told(order, O.PAID, account="pac_other") == "OTHER_ACCOUNT"
    assert told(order, O.PAID, amount="10.01") == "OTHER_AMOUNT"
    assert Withdrawal.objects.get().status == "PROCESSING"
    assert BatchAnswer.objects.filter(waits_since__isnull=False).count() == 3
