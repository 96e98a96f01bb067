"""A payment with real money: asked outside, unclear for as long as it takes, and never charged twice."""

from decimal import Decimal
from typing import Any

import pytest

from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments import due
from gateway.payments.models import Payment
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.models import ProviderAccount
from ledger.models import Balance
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, move, pass_time
from tests.support.scripted_provider import Script, rewritten
from tests.support.threads import at_once
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

CODE = {"pixCopyPaste": "000201code", "pixTxid": "TX"}
INSTRUCTED = PaymentOutcome(PaymentResult.WAITING, CODE)
STILL_OPEN = PaymentOutcome(PaymentResult.WAITING)
NOT_THERE = PaymentOutcome(PaymentResult.NOT_RECEIVED)
REFUSED = PaymentOutcome(PaymentResult.REFUSED, failure=("PROVIDER_REFUSED", "The provider refused the payment."))
PAID = PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": "E1"}, reference="E1")
GONE = PaymentOutcome(PaymentResult.DONE)
SILENT = Unclear("read timeout")
AWAY = NotSent("connection refused")


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


def post(shop: Shop, **members: Any) -> Any:
    return api_of(shop).post("/payments", PIX | members)


def the_payment() -> Payment:
    return Payment.objects.get()


def asked(script: Script) -> list[tuple[str, str]]:
    return [(user, what) for user, what, _ in script.calls if what != "check"]


def kinds() -> list[str]:
    return list(Event.objects.order_by("created_at", "pk").values_list("type", flat=True))


def money() -> int:
    return sum(Balance.objects.filter(account__kind="AVAILABLE").values_list("amount", flat=True))


def test_it_is_asked_at_once_polled_and_paid(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [INSTRUCTED], "ask": [STILL_OPEN, PAID]}

    answer = post(acme)

    assert answer.status_code == 201
    assert (answer.json()["data"]["status"], answer.json()["data"]["pixCopyPaste"]) == ("PENDING", CODE["pixCopyPaste"])
    assert answer.json()["data"]["resolution"] is None
    assert pass_time(the_payment().pk, minutes=1).status == "PENDING"
    paid = pass_time(the_payment().pk, minutes=1)
    assert (paid.status, paid.rail_reference, money()) == ("PAID", "E1", paid.net)
    assert asked(script) == [("bank", "instruct"), ("bank", "ask"), ("bank", "ask")]
    assert kinds() == ["payment.updated", "payment.paid"]


def test_an_answer_that_never_came_is_unclear_until_the_provider_says(acme: Shop, script: Script) -> None:
    live(acme, "bank", "second bank")
    script.answers = {"instruct": [SILENT], "ask": [SILENT, SILENT, PaymentOutcome(PaymentResult.WAITING, CODE)]}

    refused = post(acme)

    assert (refused.status_code, refused.json()["onpayCode"]) == (503, "ONP503_PIX_TEMPORARILY_UNAVAILABLE")
    payment = the_payment()
    assert refused.json()["error"]["paymentId"] == payment.pk
    resolution = api_of(acme).get(f"/payments/{payment.pk}").json()["data"]["resolution"]
    assert (resolution["provider"], resolution["askedTimes"]) == ("Scripted bank", 1)
    assert payment.certain_by and payment.unclear_since
    assert (payment.certain_by - payment.unclear_since).total_seconds() == 86_400
    for _ in range(2):
        assert pass_time(payment.pk, minutes=2).status == "PENDING"
    assert pass_time(payment.pk, minutes=5).details["pixCopyPaste"] == CODE["pixCopyPaste"]
    assert api_of(acme).get(f"/payments/{payment.pk}").json()["data"]["resolution"] is None
    assert {user for user, _ in asked(script)} == {"bank"}, "the second is never asked while the first may have it"


def test_only_a_definite_refusal_turns_to_the_next_provider(acme: Shop, script: Script) -> None:
    _, second = live(acme, "bank", "second bank")
    script.answers = {"bank instruct": [REFUSED], "second bank instruct": [INSTRUCTED]}

    assert post(acme).status_code == 201

    assert the_payment().account == second
    assert asked(script) == [("bank", "instruct"), ("second bank", "instruct")]


def test_a_sweep_asks_the_next_provider_at_once_too(acme: Shop, script: Script) -> None:
    live(acme, "bank", "second bank")
    script.answers = {
        "bank instruct": [KeyboardInterrupt(), REFUSED], "ask": [NOT_THERE], "second bank instruct": [INSTRUCTED],
    }  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        post(acme)

    assert pass_time(the_payment().pk, minutes=3).details["pixCopyPaste"] == CODE["pixCopyPaste"]


def test_refused_by_all_it_has_failed(acme: Shop, script: Script) -> None:
    live(acme, "bank", "second bank")
    script.answers = {"instruct": [REFUSED]}

    answer = post(acme)

    assert (answer.status_code, answer.json()["onpayCode"]) == (422, "ONP422_PIX_REJECTED")
    assert (the_payment().status, the_payment().failure_code) == ("FAILED", "PROVIDER_REFUSED")
    assert money() == 0


def test_where_nobody_can_be_reached_nothing_is_unclear_and_the_same_key_tries_again(
    acme: Shop, script: Script
) -> None:
    live(acme, "bank", "second bank")
    script.answers = {"bank instruct": [AWAY, AWAY, INSTRUCTED], "second bank instruct": [AWAY]}
    key = "0f0e0d0c-0b0a-4908-8706-050403020100"

    away = api_of(acme).post("/payments", PIX, key=key)
    assert (away.status_code, the_payment().unclear_since) == (503, None)
    still = api_of(acme).post("/payments", PIX, key=key)
    assert (still.status_code, the_payment().unclear_since) == (503, None)
    again = api_of(acme).post("/payments", PIX, key=key)

    assert (again.status_code, Payment.objects.count()) == (201, 1)
    assert the_payment().details["pixCopyPaste"] == CODE["pixCopyPaste"]


def test_what_is_being_withdrawn_is_not_offered_again_to_a_repeated_request(acme: Shop, script: Script) -> None:
    live(acme, "bank", "second bank")
    script.answers = {
        "bank instruct": [REFUSED], "second bank instruct": [AWAY], "bank cancel": [SILENT, GONE], "ask": [SILENT],
    }  # fmt: skip
    key = "0f0e0d0c-0b0a-4908-8706-050403020100"
    assert api_of(acme).post("/payments", PIX, key=key).status_code == 503
    pass_time(the_payment().pk, minutes=24 * 60)
    offered = [("bank", "instruct"), ("second bank", "instruct")]
    assert asked(script) == [*offered, ("bank", "cancel")]

    move(the_payment().pk, minutes=3)
    assert api_of(acme).post("/payments", PIX, key=key).json()["onpayCode"] == "ONP503_PIX_TEMPORARILY_UNAVAILABLE"
    assert asked(script) == [*offered, ("bank", "cancel")]

    assert pass_time(the_payment().pk, minutes=60).status == "EXPIRED"
    assert [what for _, what in asked(script)].count("instruct") == 2
    assert api_of(acme).post("/payments", PIX, key=key).json()["data"]["status"] == "EXPIRED"
    assert money() == 0


def test_a_repeated_request_queries_before_it_sends_again(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [SILENT, INSTRUCTED], "ask": [NOT_THERE]}
    key = "0f0e0d0c-0b0a-4908-8706-050403020101"

    assert api_of(acme).post("/payments", PIX, key=key).status_code == 503
    assert api_of(acme).post("/payments", PIX, key=key).status_code == 201

    assert [what for _, what in asked(script)] == ["instruct", "ask", "instruct"]
    assert len({our_id for _, what, our_id in script.calls if what == "instruct"}) == 1


def test_an_order_that_may_still_arrive_goes_nowhere_else(acme: Shop, script: Script) -> None:
    live(acme, "bank", "second bank")
    script.answers = {"bank instruct": [SILENT, AWAY], "ask": [NOT_THERE], "second bank instruct": [INSTRUCTED]}
    post(acme)

    for _ in range(5):
        payment = pass_time(the_payment().pk, minutes=20)

    assert (payment.status, payment.unclear_since is None) == ("PENDING", False)
    assert {user for user, _ in asked(script)} == {"bank"}


def test_it_expires_only_after_the_charge_was_withdrawn(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [INSTRUCTED], "ask": [STILL_OPEN], "cancel": [SILENT, SILENT, GONE]}
    post(acme)

    for _ in range(2):
        payment = pass_time(the_payment().pk, days=2)
        assert (payment.status, payment.unclear_since is None) == ("PENDING", False)
    assert pass_time(payment.pk, hours=1).status == "EXPIRED"
    assert kinds()[-1] == "payment.expired"


def test_paid_in_the_last_moment_it_is_paid_and_not_expired(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    cannot = PaymentOutcome(PaymentResult.REFUSED)
    script.answers = {"instruct": [INSTRUCTED], "ask": [PAID], "cancel": [cannot]}
    post(acme)

    assert pass_time(the_payment().pk, days=2).status == "PAID"
    assert "payment.expired" not in kinds()


def test_what_was_authorized_is_captured_under_the_same_id_until_the_provider_says(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    authorized = PaymentOutcome(PaymentResult.AUTHORIZED, {"authorizationCode": "1"}, reference="A1")
    script.answers = {"instruct": [authorized], "capture": [SILENT, GONE]}

    assert post(acme).json()["data"]["status"] == "AUTHORIZED"
    assert pass_time(the_payment().pk, minutes=1).status == "AUTHORIZED"
    assert pass_time(the_payment().pk, minutes=5).status == "PAID"
    assert [what for _, what in asked(script)] == ["instruct", "capture", "capture"]


def test_an_authorization_that_is_not_captured_in_time_is_voided_at_the_provider(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    authorized = PaymentOutcome(PaymentResult.AUTHORIZED, {"authorizationCode": "1"}, reference="A1")
    script.answers = {"instruct": [authorized], "capture": [SILENT], "cancel": [SILENT, GONE]}
    post(acme)

    assert pass_time(the_payment().pk, days=8).status == "AUTHORIZED"
    assert pass_time(the_payment().pk, hours=1).status == "EXPIRED"
    assert [what for _, what in asked(script)] == ["instruct", "cancel", "cancel"]


def test_no_timer_ends_what_may_have_been_charged(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [SILENT], "ask": [SILENT], "cancel": [SILENT]}
    post(acme)

    for _ in range(30):
        payment = pass_time(the_payment().pk, days=1)

    assert payment.status == "PENDING"
    assert payment.certain_by and payment.certain_by < payment.updated_at
    assert (kinds(), money()) == ([], 0)


@pytest.mark.parametrize("other", [{"amount": Decimal(149)}, {"amount": Decimal(150), "currency": "USD"}])
def test_other_money_is_not_taken_and_leaves_it_payable(acme: Shop, script: Script, other: dict[str, Any]) -> None:
    live(acme, "bank")
    paid = PaymentOutcome(PaymentResult.DONE, reference="E1", **({"currency": "BRL"} | other))
    script.answers = {"instruct": [INSTRUCTED], "ask": [paid]}
    post(acme)

    payment = pass_time(the_payment().pk, minutes=1)

    assert (payment.status, payment.unclear_since, money()) == ("PENDING", None, 0)
    assert payment.ask_at


def test_a_process_that_died_between_record_and_answer_is_taken_over(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [KeyboardInterrupt(), INSTRUCTED], "ask": [NOT_THERE]}  # type: ignore[list-item]
    with pytest.raises(KeyboardInterrupt):
        post(acme)
    payment = the_payment()

    due.run_due()
    assert payment.is_unanswered, "leased"
    move(payment.pk, minutes=3)
    due.run_due()

    assert the_payment().details["pixCopyPaste"] == CODE["pixCopyPaste"]
    assert [what for _, what in asked(script)] == ["instruct", "ask", "instruct"]


def test_two_sweeps_at_once_ask_once(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [INSTRUCTED], "ask": [PAID]}
    post(acme)
    move(the_payment().pk, minutes=1)

    at_once(due.run_due, due.run_due)

    assert [what for _, what in asked(script)] == ["instruct", "ask"]
    assert the_payment().status == "PAID"


def test_an_unknown_exception_of_a_provider_is_unclear_and_no_failure(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    script.answers = {"instruct": [ZeroDivisionError("a bug")], "ask": [INSTRUCTED]}

    assert post(acme).status_code == 503
    assert the_payment().unclear_since
    assert pass_time(the_payment().pk, minutes=2).details["pixCopyPaste"] == CODE["pixCopyPaste"]


def test_without_a_provider_it_is_refused_and_nothing_is_stored(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    ProviderAccount.objects.update(status="PAUSED")

    answer = post(acme)

    assert (answer.status_code, answer.json()["onpayCode"]) == (403, "ONP403_PIX_NOT_CONNECTED")
    assert answer.json()["error"]["retryable"] is False
    assert (Payment.objects.count(), asked(script)) == (0, [])


def test_a_sandbox_key_reaches_nobody(acme: Shop, script: Script) -> None:
    live(acme, "bank")
    assert Api(acme.sandbox_key).post("/payments", PIX).status_code == 201
    assert asked(script) == []
