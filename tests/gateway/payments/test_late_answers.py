"""Answers that a process hands in after its lease has ended, while another process is calling the provider."""

from typing import Any

import pytest
from django.db import transaction

from accounts.base import clock
from gateway.methods.errors import RailUnavailable
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import calls, questions
from gateway.payments.models import Payment
from gateway.payments.provider import lock
from gateway.providers.errors import NotSent
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, move, pass_time
from tests.support.scripted_provider import Script, rewritten

pytestmark = pytest.mark.django_db(transaction=True)

REVIEW = PaymentOutcome(PaymentResult.REVIEW)
CLEARED = PaymentOutcome(PaymentResult.CLEARED, {"pixCopyPaste": "000201code", "pixTxid": "TX"})
OF_SECOND = PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "000201other", "pixTxid": "TX2"})
PAID = PaymentOutcome(PaymentResult.DONE, reference="E1")


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


@pytest.fixture
def stored(acme: Shop, script: Script) -> Payment:
    """Written down; the process that was to call the provider has died."""
    live(acme, "bank")
    script.answers = {"instruct": [KeyboardInterrupt()]}
    with pytest.raises(KeyboardInterrupt):
        post(acme)
    script.calls.clear()
    return Payment.objects.get()


def post(shop: Shop) -> Any:
    return api_of(shop).post("/payments", PIX)


def written_down(payment: Payment) -> calls.Question:
    """The next call of a process, with its lease."""
    move(payment.pk, minutes=3)
    with transaction.atomic():
        return calls.prepare(lock(payment.merchant, payment.pk), clock.now(payment.merchant))


def test_the_first_process_does_not_go_on_under_the_lease_of_the_second(
    stored: Payment, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(stored.pk, minutes=3)
    first = questions.resume(stored.merchant, stored.pk)
    called = []

    def slow(user: str, what: str, our_id: str) -> PaymentOutcome:
        called.append(what)
        if what == "ask":
            return PaymentOutcome(PaymentResult.NOT_RECEIVED)
        written_down(stored)  # meanwhile its lease has ended, and a sweep has taken over
        raise NotSent("connection refused")

    monkeypatch.setattr(script, "answer", slow)
    with pytest.raises(RailUnavailable):
        questions.ask(first)

    assert called == ["ask", "instruct"]


def test_a_late_authorization_leaves_the_newer_call_its_lease(stored: Payment, script: Script) -> None:
    script.answers = {"ask": [PaymentOutcome(PaymentResult.AUTHORIZED)], "capture": [KeyboardInterrupt()]}
    late, next_one = written_down(stored), written_down(stored)
    with pytest.raises(KeyboardInterrupt):
        questions.ask_and_take(stored.merchant, next_one)
    newer = written_down(stored)

    questions.ask_and_take(stored.merchant, late)

    payment = Payment.objects.get()
    assert (payment.status, payment.leased_until, payment.unclear_since) == ("AUTHORIZED", newer.leased_until, None)


def test_what_is_being_withdrawn_is_not_sent_again(stored: Payment, script: Script) -> None:
    script.answers = {"cancel": [PaymentOutcome(PaymentResult.DONE)], "ask": [PaymentOutcome(PaymentResult.UNKNOWN)]}
    move(stored.pk, days=2)
    late = written_down(stored)
    assert late.about == PaymentAction.CANCEL
    move(stored.pk, minutes=3)
    with pytest.raises(RailUnavailable):
        questions.resume(stored.merchant, stored.pk)

    questions.ask_and_take(stored.merchant, late)

    payment = Payment.objects.get()
    assert (payment.status, payment.asked_times) == ("PENDING", stored.asked_times), "a later sweep withdraws it"


@pytest.mark.parametrize("is_answered", [True, False], ids=["answered there", "being asked there"])
def test_what_the_first_account_says_late_is_not_the_answer_of_the_second(
    acme: Shop, script: Script, is_answered: bool
) -> None:
    live(acme, "bank", "second")
    refused, unclear = PaymentOutcome(PaymentResult.REFUSED), PaymentOutcome(PaymentResult.UNKNOWN)
    script.answers = {"bank instruct": [KeyboardInterrupt()]}
    with pytest.raises(KeyboardInterrupt):
        post(acme)
    payment = Payment.objects.get()
    late = questions.FirstAnswer(payment.pk, payment.account_id, CLEARED)
    script.answers = {
        "bank ask": [refused],
        "second instruct": [OF_SECOND if is_answered else unclear],
        "second ask": [unclear],
    }
    questions.ask_and_take(payment.merchant, written_down(payment))

    if is_answered:
        questions.answer(payment.merchant, late)
    else:
        with pytest.raises(RailUnavailable):
            questions.answer(payment.merchant, late)

    payment.refresh_from_db()
    assert payment.details == (OF_SECOND.details if is_answered else {})
    assert payment.account_id != late.account_id and payment.status == "PENDING"


def test_a_review_at_a_provider_is_followed_to_its_end(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [REVIEW], "ask": [CLEARED, PAID]}
    assert post(acme).json()["data"]["status"] == "ACTION_REQUIRED"
    payment = Payment.objects.get()

    assert pass_time(payment.pk, minutes=1).status == "PENDING"
    assert pass_time(payment.pk, minutes=10).status == "PAID"


def test_a_review_whose_time_is_over_is_paid_if_the_provider_cannot_withdraw_it(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [REVIEW], "ask": [PAID], "cancel": [PaymentOutcome(PaymentResult.REFUSED)]}
    post(acme)

    assert pass_time(Payment.objects.get().pk, days=2).status == "PAID"


def test_a_capture_whose_answer_was_lost_is_paid_after_the_end_too(stored: Payment, script: Script) -> None:
    authorized = PaymentOutcome(PaymentResult.AUTHORIZED)
    script.answers = {"ask": [authorized, PAID], "cancel": [PaymentOutcome(PaymentResult.REFUSED)]}
    questions.ask_and_take(stored.merchant, written_down(stored))
    assert Payment.objects.get().status == "AUTHORIZED"

    assert pass_time(stored.pk, days=8).status == "PAID"
