"""Disputes at an acquirer that misbehaves: told at once by many, in any order, and with answers that get lost."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import F

from accounts.base.clock import utcnow
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.providers.disputes import DisputeReport, DisputeState
from gateway.providers.errors import AnswerRefused, NotSent, Unclear
from gateway.providers.models import ProviderAccount
from gateway.refunds.disputes import due
from gateway.refunds.disputes.hearing import record
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.models import Refund
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, pass_time
from tests.support.scripted_provider import Script, rewritten
from tests.support.suspense import balances
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
OPEN = DisputeReport(
    reference="dsp-1", money="E1", amount=Decimal("60.00"), currency="BRL", state=DisputeState.OPEN, is_inquiry=False
)
TAKEN = 6_000


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


@pytest.fixture
def account(acme: Shop, script: Script) -> ProviderAccount:
    """It has taken 150 reais."""
    (account,) = live(acme, "bank")
    script.answers = {
        "instruct": [PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "code", "pixTxid": "TX"})],
        "ask": [PaymentOutcome(PaymentResult.DONE, reference="E1")],
    }
    assert pass_time(str(api_of(acme).post("/payments", PIX).json()["data"]["id"]), minutes=1).status == "PAID"
    return account


def say(account: ProviderAccount, *states: DisputeState) -> None:
    for state in states:
        record(account, replace(OPEN, state=state))


def answer(shop: Shop, given: str) -> None:
    body = {"answer": given, "message": "Delivered."}
    assert api_of(shop).post(f"/refunds/{Refund.objects.get().pk}/responses", body).status_code == 201


def hand_on() -> Dispute:
    Dispute.objects.update(ask_at=F("ask_at") - timedelta(hours=2))
    due.run_due()
    return Dispute.objects.get()


@pytest.mark.parametrize(
    ("given", "failed"),
    [
        ("ACCEPT", Unclear("half an answer")),
        ("CONTEST", NotSent("no connection")),
        ("CONTEST", RuntimeError("a mistake of ours")),
    ],
)
def test_an_answer_is_handed_on_until_the_acquirer_takes_it(
    acme: Shop, account: ProviderAccount, script: Script, given: str, failed: Exception
) -> None:
    say(account, DisputeState.OPEN)
    answer(acme, given)
    script.takes = [failed, failed]

    assert [hand_on().answered_at for _ in range(2)] == [None, None]
    assert hand_on().answered_at
    hand_on()

    assert len(script.handed) == 3 and len(set(script.handed)) == 1
    assert Refund.objects.get().status == ("COMPLETED" if given == "ACCEPT" else "UNDER_REVIEW")


def test_a_company_that_gives_up_while_the_acquirer_refuses_that_waits_for_its_end(
    acme: Shop, account: ProviderAccount, script: Script
) -> None:
    say(account, DisputeState.OPEN)
    before = balances(acme)
    answer(acme, "ACCEPT")
    script.takes = [AnswerRefused("too late")]

    hand_on()

    assert (Refund.objects.get().status, balances(acme)) == ("PROCESSING", before)
    say(account, DisputeState.WON)
    assert Refund.objects.get().status == "REJECTED"


ASKED, DECIDED, LOST = DisputeState.OPEN, DisputeState.DECIDING, DisputeState.LOST


@pytest.mark.parametrize("order", [(ASKED, DECIDED, LOST), (DECIDED, ASKED, LOST), (LOST, ASKED, DECIDED)])
def test_whatever_is_told_before_it_was_lost_it_costs_the_money_once(
    acme: Shop, account: ProviderAccount, order: tuple[DisputeState, ...]
) -> None:
    say(account, *order, DisputeState.LOST, DisputeState.LOST)

    completed = Refund.objects.filter(status="COMPLETED")
    assert [one.amount for one in completed] == [TAKEN]
    assert balances(acme)["CLEARING"] == TAKEN - 15_000


def test_told_by_many_at_once_it_is_one(acme: Shop, account: ProviderAccount) -> None:
    at_once(*[lambda: say(account, DisputeState.OPEN)] * 4)  # type: ignore[list-item]

    assert (Dispute.objects.count(), Refund.objects.count()) == (1, 1)
    assert Refund.objects.get().blocked == TAKEN


def test_a_short_time_to_answer_is_halved_and_none_leaves_it_to_the_bank(acme: Shop, account: ProviderAccount) -> None:
    soon, past = utcnow() + timedelta(hours=10), utcnow() - timedelta(minutes=1)
    record(account, replace(OPEN, due_at=soon))
    record(account, replace(OPEN, reference="dsp-2", due_at=past))

    first, second = Refund.objects.order_by("id")
    assert first.response_due_at and timedelta(hours=4) < soon - first.response_due_at < timedelta(hours=6)
    assert (first.status, second.status) == ("AWAITING_RESPONSE", "UNDER_REVIEW")


def test_two_disputes_take_no_more_than_was_paid(acme: Shop, account: ProviderAccount) -> None:
    record(account, replace(OPEN, amount=Decimal("100.00")))
    record(account, replace(OPEN, reference="dsp-2", amount=Decimal("50.01")))

    assert [one.amount for one in Refund.objects.all()] == [10_000]
    assert "more than is left" in Dispute.objects.get(reference="dsp-2").problem
