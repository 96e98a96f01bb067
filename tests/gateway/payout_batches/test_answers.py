"""What banks answer to payment files: applied once, to exactly the order that was handed over."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from accounts.audit import Actor
from accounts.base.clock import utcnow
from gateway.bank_files.shapes import OrderAnswer, OrderOutcome, Party, PaymentReturn
from gateway.payout_batches import answers, due, services
from gateway.payout_batches.errors import NothingToGather
from gateway.payout_batches.models import BatchAnswer, BatchOrder, PayoutBatch
from gateway.payout_batches.proposals import PutBack
from gateway.reconciliation.payment_returns import PaymentReturnHandler
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.bank_accounts import a_bank_account, imported
from tests.support.batches import gathered, handed_over, manual_account, released
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import NOTE, confirms
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
        ((O.REJECTED, O.REJECTED), "REPEATED", "FAILED"),
        ((O.PAID, O.RETURNED), "APPLIED", "RETURNED"),
        ((O.PAID, O.ACCEPTED), "NOTED", "COMPLETED"),
    ],
)
def test_answers_in_any_order_move_money_once(
    order: BatchOrder, outcomes: tuple[OrderOutcome, ...], found: str, status: str
) -> None:
    """Those that the night does not have: `reconciliation.test_night`."""
    assert told(order, *outcomes) == found
    assert Withdrawal.objects.get().status == status


def put_back(batch: PayoutBatch) -> None:
    """As after a second person has confirmed it."""
    with transaction.atomic():
        services.put_back(Actor(confirms()), services.hold(batch.pk), NOTE)


def facts() -> Any:
    """What a file or a decision could move."""
    return list(Withdrawal.objects.order_by("pk").values_list("status", "sent_at", "sent_times", "queued_at"))


def test_a_file_that_was_refused_waits_for_two_people_and_then_for_another_file(order: BatchOrder) -> None:
    before, account = facts(), order.batch.account
    answers.note_of_file("a file", [account.pk], order.batch.file_name, O.REJECTED, utcnow())
    due.run_due()
    told_staff = BatchAnswer.objects.get()
    assert (told_staff.found, told_staff.waits_since is None, facts()) == ("CONTRADICTS", False, before)

    put_back(order.batch)

    again = released(account)
    assert (again.sequence, Withdrawal.objects.get().sent_times) == (2, 1)
    assert told(order, O.PAID) == "CONTRADICTS"
    assert Withdrawal.objects.get().status == "PROCESSING"


@pytest.mark.parametrize(("outcome", "waits"), [(O.UNCERTAIN, True), (O.ACCEPTED, False)])
def test_a_file_that_the_bank_may_have_already_waits_for_staff(
    order: BatchOrder, outcome: OrderOutcome, waits: bool
) -> None:
    """Rejected as a duplicate, for example: nothing says what became of its orders."""
    before, ours = facts(), a_bank_account("ITAU-BRL-1", order.batch.account)
    report = PaymentReturn("test", Party(""), "1", utcnow(), "", [], of_file="ONPAY-1", file_outcome=outcome)
    shown = PaymentReturnHandler().lines(ours, [report])

    imported(ours, report)

    assert (BatchAnswer.objects.get().waits_since is not None, facts()) == (waits, before)
    assert shown[0][0] == "The whole file ONPAY-1"


@pytest.mark.parametrize("said", ["accepted", "uncertain", "another amount", "not applied yet"])
def test_no_order_that_the_bank_has_answered_is_put_back(order: BatchOrder, said: str) -> None:
    if said == "not applied yet":
        answers.store("a file", [order.batch.account_id], [OrderAnswer(order.number, O.PAID, None)], utcnow())
    else:
        outcome = {"accepted": O.ACCEPTED, "uncertain": O.UNCERTAIN}.get(said, O.PAID)
        told(order, outcome, amount="10.01" if said == "another amount" else "10.00")
    before = facts()
    shown = dict(PutBack().lines(order.batch, {}))
    assert (shown["Orders without an answer, for another file"], shown["Orders that stay as they are"]) == ("0", "1")

    put_back(order.batch)

    assert facts() == before
    with pytest.raises(NothingToGather):
        gathered(order.batch.account)
    order.refresh_from_db()
    assert order.is_live


def test_what_does_not_fit_moves_nothing_and_waits_for_staff(order: BatchOrder) -> None:
    assert told(order, O.PAID, number="X") == "UNKNOWN_ORDER"
    assert told(order, O.PAID, account="pac_other") == "OTHER_ACCOUNT"
    assert told(order, O.PAID, amount="10.01") == "OTHER_AMOUNT"
    assert Withdrawal.objects.get().status == "PROCESSING"
    assert BatchAnswer.objects.filter(waits_since__isnull=False).count() == 3
