"""Disputes at an acquirer that misbehaves: told at once by many, in any order, and with answers that get lost."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import F
from structlog.testing import capture_logs

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import User
from gateway.evidence import due as evidence_due
from gateway.evidence.models import AutomaticEvidence
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.providers.disputes import DisputeReport, DisputeState
from gateway.providers.errors import AnswerRefused, NotSent, Unclear
from gateway.providers.models import ProviderAccount
from gateway.refunds.disputes import due
from gateway.refunds.disputes.hearing import record
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.disputes.services import look_again
from gateway.refunds.models import Refund
from gateway.staff.disputes import to_look_up
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, pass_time
from tests.support.providers import enters
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


def statuses() -> list[str]:
    return list(Refund.objects.order_by("id").values_list("status", flat=True))


def hand_on() -> Dispute:
    Dispute.objects.update(ask_at=F("ask_at") - timedelta(hours=2))
    due.run_due()
    return Dispute.objects.get()


def test_an_answer_is_handed_on_until_the_acquirer_takes_it(
    acme: Shop, account: ProviderAccount, script: Script
) -> None:
    say(account, DisputeState.OPEN)
    answer(acme, "CONTEST")
    script.takes = [Unclear("half an answer"), NotSent("no connection"), RuntimeError("a mistake of ours")]

    assert [hand_on().answered_at for _ in range(3)] == [None, None, None]
    assert hand_on().answered_at
    hand_on()

    assert len(script.handed) == 4 and len(set(script.handed)) == 1
    assert statuses() == ["UNDER_REVIEW"]


def test_a_company_that_gives_up_while_the_acquirer_refuses_that_waits_for_its_end(
    acme: Shop, account: ProviderAccount, script: Script
) -> None:
    say(account, DisputeState.OPEN)
    before = balances(acme)
    answer(acme, "ACCEPT")
    script.takes = [Unclear("half an answer"), AnswerRefused("too late")]

    assert (hand_on().answered_at, hand_on().answered_at) == (None, None)

    assert (statuses(), balances(acme)) == (["PROCESSING"], before)
    say(account, DisputeState.WON)
    assert statuses() == ["REJECTED"]


def test_evidence_that_nobody_handed_in_goes_to_the_acquirer_by_itself(
    acme: Shop, account: ProviderAccount, script: Script
) -> None:
    say(account, DisputeState.OPEN)
    person = User.objects.create_user("owner@acme.example")
    AutomaticEvidence.objects.create(merchant=acme.production, enabled_by=person)
    Refund.objects.update(evidence_due_at=F("created_at"))
    evidence_due.run_due()
    assert statuses() == ["AWAITING_RESPONSE"]
    refund = Refund.objects.get()
    took = 0.95 * (refund.response_due_at - refund.created_at)  # type: ignore[operator]
    Refund.objects.update(created_at=F("created_at") - 19 * took, evidence_due_at=F("created_at"))
    evidence_due.run_due()
    evidence_due.run_due()

    assert (hand_on().answered_at is not None, len(script.handed), statuses()) == (True, 1, ["UNDER_REVIEW"])


ASKED, DECIDED, LOST = DisputeState.OPEN, DisputeState.DECIDING, DisputeState.LOST


def test_whatever_is_told_before_it_was_lost_it_costs_the_money_once(acme: Shop, account: ProviderAccount) -> None:
    orders = ((ASKED, DECIDED, LOST), (DECIDED, ASKED, LOST), (LOST, ASKED, DECIDED))
    for reference, order in zip(("dsp-1", "dsp-2", "dsp-3"), orders, strict=True):
        for state in (*order, LOST, LOST):
            record(account, replace(OPEN, reference=reference, amount=Decimal("50.00"), state=state))

    assert (statuses(), balances(acme)) == (["COMPLETED"] * 3, {"FEE_INCOME": 150, "DEBT": -150})


def test_evidence_that_was_refused_is_left_to_staff_until_the_dispute_is_over(
    acme: Shop, account: ProviderAccount, script: Script
) -> None:
    say(account, DisputeState.OPEN)
    answer(acme, "CONTEST")
    script.takes = [AnswerRefused("no")]
    hand_on()

    say(account, DisputeState.OPEN)

    assert Dispute.objects.filter(to_look_up()).exists()
    say(account, DisputeState.WON)
    look_again(Actor(enters()), Dispute.objects.get().pk, "Tried once more")
    assert (hand_on().problem, len(script.handed), statuses()) == ("", 1, ["REJECTED"])


def test_what_was_said_about_an_inquiry_is_not_handed_on_to_its_chargeback(
    acme: Shop, account: ProviderAccount, script: Script
) -> None:
    inquiry = replace(OPEN, amount=Decimal("150.00"), is_inquiry=True)
    record(account, inquiry)
    answer(acme, "CONTEST")
    script.takes = [Unclear("half an answer")]
    hand_on()

    for told in (OPEN, inquiry):  # of less, and then what was asked before
        record(account, told)
    hand_on()

    assert (len(script.handed), statuses()) == (1, ["CANCELED", "AWAITING_RESPONSE"])
    assert Refund.objects.get(status="AWAITING_RESPONSE").blocked == TAKEN


def test_told_by_many_at_once_it_is_one_and_stays_with_its_payment(
    acme: Shop, account: ProviderAccount, script: Script
) -> None:
    at_once(*[lambda: say(account, DisputeState.OPEN)] * 4)  # type: ignore[list-item]
    assert (Dispute.objects.count(), Refund.objects.get().blocked) == (1, TAKEN)
    script.answers["ask"] = [PaymentOutcome(PaymentResult.DONE, reference="E2")]
    pass_time(str(api_of(acme).post("/payments", PIX | {"reference": "order-2"}).json()["data"]["id"]), minutes=1)
    before = balances(acme)

    with capture_logs() as logs:
        record(account, replace(OPEN, money="E2", state=LOST))

    assert (statuses(), balances(acme)) == (["AWAITING_RESPONSE"], before)
    assert [one["event"] for one in logs if one["log_level"] == "critical"] == ["dispute.told_otherwise"]
    record(account, replace(OPEN, money="unknown", state=LOST))
    assert statuses() == ["COMPLETED"]


def test_a_short_time_to_answer_is_halved_none_leaves_it_to_the_bank_and_no_more_is_taken_than_was_paid(
    acme: Shop, account: ProviderAccount
) -> None:
    soon, past = utcnow() + timedelta(hours=10), utcnow() - timedelta(minutes=1)
    say(account, DisputeState.OPEN)
    record(account, replace(OPEN, due_at=soon))
    record(account, replace(OPEN, reference="dsp-2", due_at=past))
    record(account, replace(OPEN, reference="dsp-3", amount=Decimal("30.01")))

    first, second = Refund.objects.order_by("id")
    assert first.response_due_at and timedelta(hours=4) < soon - first.response_due_at < timedelta(hours=6)
    assert (first.status, second.status) == ("AWAITING_RESPONSE", "UNDER_REVIEW")
    record(account, replace(OPEN, due_at=soon + timedelta(days=3)))
    first.refresh_from_db()
    assert (first.response_due_at, first.remind_at) == (soon + timedelta(days=2), soon + timedelta(days=1))
    assert "more than is left" in Dispute.objects.get(reference="dsp-3").problem
