"""Cards at Stripe, call by call: nothing is charged twice, and no useless answer is believed."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from accounts.base.ids import new_id
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, RefundOrder
from gateway.providers.errors import NotConnected, Unclear
from gateway.providers.observing import observing
from gateway.providers.stripe.provider import StripeCredentials, StripeProvider
from gateway.providers.stripe.rail import StripeCard
from gateway.providers.stripe.shapes import exact, minor
from tests.support.stripe.stand_in import APPROVED, CHALLENGE, NEVER_CLEAR, NOT_STARTED, REFUSED, SECRET_KEY, StandIn

R = PaymentResult
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def opened(rail: StripeCard, order: PaymentOrder) -> PaymentOrder:
    """With what Stripe said about the fields."""
    answer = rail.instruct(order)
    assert answer.answered == R.SESSION
    return replace(order, details=answer.details)


def authorized(rail: StripeCard, order: PaymentOrder, stand_in: StandIn, number: str = APPROVED) -> PaymentOrder:
    order = opened(rail, order)
    stand_in.confirm(order.details["intent"], number)
    return order


def paid(rail: StripeCard, order: PaymentOrder, stand_in: StandIn) -> RefundOrder:
    order = authorized(rail, order, stand_in)
    captured = rail.capture(order)
    assert captured.answered == R.DONE
    details = dict(order.details)
    return RefundOrder(new_id("ref"), order.payment_id, captured.reference, Decimal("50.00"), order.currency, details)


def intents(stand_in: StandIn) -> int:
    return len({body for _, _, body in stand_in.answers.values()})


def test_the_browser_gets_what_its_fields_need_and_its_secret_is_sealed(rail: StripeCard, order: PaymentOrder) -> None:
    order = opened(rail, order)

    fields = rail.fields(order)

    assert fields | {"secret": ""} == {
        "acquirer": "stripe", "publicKey": "pk_live_51OnpayTestsOnly", "secret": "", "account": None,
        "script": "https://js.stripe.com/v3/",
    }  # fmt: skip
    assert fields["secret"].startswith(f"{order.details['intent']}_secret_")
    assert fields["secret"] not in str(order.details)


def test_a_card_is_authorized_with_its_kind_captured_and_not_twice(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn
) -> None:
    stand_in.funding = "debit"
    order = opened(rail, order)
    assert rail.confirm(order, None).answered == R.WAITING
    stand_in.confirm(order.details["intent"])

    answer = rail.confirm(order, None)
    captured = rail.capture(order)
    again = rail.capture(order)

    assert answer.answered == R.AUTHORIZED
    assert answer.details == {"card": {"brand": "visa", "last4": "4242", "funding": "debit"}}
    assert captured == again
    assert (captured.answered, captured.amount, captured.currency) == (R.DONE, Decimal("200"), "BRL")
    assert captured.reference == answer.reference
    assert rail.cancel(order).answered == R.REFUSED


def test_a_refusal_of_the_issuer_names_its_reason(rail: StripeCard, order: PaymentOrder, stand_in: StandIn) -> None:
    order = authorized(rail, order, stand_in, REFUSED)

    answer = rail.ask(order, PaymentAction.PAY)

    assert (answer.answered, answer.failure and answer.failure[0]) == (R.DECLINED, "CARD_REFUSED")
    assert rail.cancel(order).answered == R.DONE
    assert rail.ask(order, PaymentAction.PAY).failure == ("CANCELED_AT_ACQUIRER", answer_text(rail, order))


def answer_text(rail: StripeCard, order: PaymentOrder) -> str:
    failure = rail.ask(order, PaymentAction.PAY).failure
    return failure[1] if failure else ""


def test_while_the_holder_confirms_it_waits_and_what_was_authorized_is_voided(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn
) -> None:
    order = authorized(rail, order, stand_in, CHALLENGE)
    assert rail.ask(order, PaymentAction.PAY).answered == R.WAITING
    secret = rail.fields(order)["secret"]
    path = f"/v1/payment_intents/{order.details['intent']}/_authenticate"
    stand_in.call("POST", path, client_secret=secret, success="true")
    assert rail.ask(order, PaymentAction.PAY).answered == R.AUTHORIZED

    assert rail.cancel(order).answered == R.DONE
    assert rail.cancel(order).answered == R.DONE
    assert rail.capture(order).answered == R.DECLINED


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", NEVER_CLEAR)
def test_a_creation_with_a_useless_answer_is_unclear_and_one_intent_in_the_end(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn, failure: str
) -> None:
    stand_in.will(failure)
    with pytest.raises(Unclear):
        rail.instruct(order)

    again = rail.ask(replace(order, asked_times=2), PaymentAction.PREPARE)

    assert again.answered == R.SESSION
    assert (intents(stand_in), stand_in.elsewhere) == (1, [])


@pytest.mark.parametrize("failure", NOT_STARTED)
def test_what_stripe_turned_away_was_not_received(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn, failure: str
) -> None:
    stand_in.will(failure)
    assert rail.instruct(order).answered == R.NOT_RECEIVED
    assert rail.instruct(order).answered == R.SESSION


def test_an_amount_below_the_minimum_is_refused_as_that(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn
) -> None:
    stand_in.will("too small", "400")
    assert failure_of(rail.instruct(order)) == (R.REFUSED, "AMOUNT_TOO_SMALL")
    assert failure_of(rail.instruct(order)) == (R.REFUSED, "ACQUIRER_REFUSED")


def failure_of(answer: PaymentOutcome) -> tuple[PaymentResult, str]:
    return answer.answered, answer.failure[0] if answer.failure else ""


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("what", ["capture", "cancel"])
@pytest.mark.parametrize("failure", ["timeout after", "half a body", "500", "500 after", "another form", "409"])
def test_a_lost_answer_to_a_capture_or_a_cancellation_is_unclear_and_then_known(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn, what: str, failure: str
) -> None:
    order = authorized(rail, order, stand_in)
    ask = getattr(rail, what)
    stand_in.will(failure, on=what)

    with pytest.raises(Unclear):
        ask(order)

    assert ask(order).answered == R.DONE
    assert rail.ask(order, PaymentAction.PAY).answered == (R.DONE if what == "capture" else R.DECLINED)


@pytest.mark.parametrize("failure", [*NOT_STARTED, "400"])
def test_a_refusal_to_capture_or_void_says_nothing_while_it_is_authorized(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn, failure: str
) -> None:
    order = authorized(rail, order, stand_in)
    for ask in (rail.capture, rail.cancel):
        stand_in.will(failure, on="POST")
        with pytest.raises(Unclear):
            ask(order)
    assert rail.ask(order, PaymentAction.PAY).answered == R.AUTHORIZED


def test_a_refund_is_found_by_our_id(rail: StripeCard, order: PaymentOrder, stand_in: StandIn) -> None:
    refund = paid(rail, order, stand_in)
    assert rail.ask_refund(refund, NOON).answered == R.NOT_RECEIVED

    done, known = rail.refund(refund, NOON), rail.ask_refund(refund, NOON)

    assert done == known
    assert (done.answered, done.amount, done.currency) == (R.DONE, Decimal("50.00"), "BRL")
    assert rail.ask_refund(replace(refund, refund_id=new_id("ref")), NOON).answered == R.NOT_RECEIVED


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", [one for one in NEVER_CLEAR if one not in ("timeout before", "trickle")])
def test_a_refund_with_a_useless_answer_is_unclear_and_made_once(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn, failure: str
) -> None:
    refund = paid(rail, order, stand_in)
    stand_in.will(failure, on="POST /refunds")
    with pytest.raises(Unclear):
        rail.refund(refund, NOON)

    if rail.ask_refund(refund, NOON).answered == R.NOT_RECEIVED:
        rail.refund(refund, NOON)

    assert rail.ask_refund(refund, NOON).answered == R.DONE
    listed = stand_in.call("GET", f"/v1/refunds?payment_intent={refund.details['intent']}")
    assert len(listed["data"]) == 1


def test_a_refused_refund_is_declined_once_the_list_has_none(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn
) -> None:
    refund = paid(rail, order, stand_in)
    stand_in.will("400", "429", on="POST /refunds")
    assert failure_of(rail.refund(refund, NOON)) == (R.DECLINED, "ACQUIRER_REFUSED")
    assert rail.refund(refund, NOON).answered == R.NOT_RECEIVED


def test_another_amount_or_another_payment_is_never_taken(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn
) -> None:
    order = authorized(rail, order, stand_in)
    for other in (replace(order, amount=Decimal(1)), replace(order, payment_id=new_id("pay"))):
        with pytest.raises(Unclear):
            rail.ask(other, PaymentAction.PAY)


def test_no_secret_is_logged_whatever_happens(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as lines:
        order = authorized(rail, order, stand_in)
        stand_in.will("401", "another form", "nothing", on="GET")
        for _ in range(3):
            with pytest.raises(Unclear):
                rail.ask(order, PaymentAction.PAY)

    said = str(lines) + caplog.text
    assert "provider.answered" in said
    assert [one for one in (SECRET_KEY, rail.fields(order)["secret"], "Bearer", "metadata") if one in said] == []


def test_the_connection_is_checked_with_the_key(provider: StripeProvider, stand_in: StandIn) -> None:
    provider.check()
    assert stand_in.calls == ["GET /payment_intents"]
    for failure in ("401", "500", "redirect"):
        stand_in.will(failure)
        with pytest.raises(NotConnected):
            provider.check()
    away = StripeCredentials.model_validate(stand_in.credentials(base_url="https://localhost:1"))
    with pytest.raises(NotConnected, match="no connection"):
        StripeProvider(away).check()


@pytest.mark.parametrize(
    ("failure", "seen"), [("401", "HTTP 401"), ("429", "HTTP 429"), ("400", ""), ("500", "HTTP 500")]
)
def test_whether_stripe_serves_is_seen_by_what_it_says_to_anybody(
    rail: StripeCard, order: PaymentOrder, stand_in: StandIn, failure: str, seen: str
) -> None:
    stand_in.will(failure)
    with observing() as observation, suppress(Unclear):
        rail.instruct(order)
    assert observation.failure == seen


@pytest.mark.parametrize(("amount", "currency", "counted"), [
    ("12.34", "BRL", 1234), ("500", "COP", 50000), ("500", "JPY", 500), ("1.234", "KWD", 1234),
])  # fmt: skip
def test_amounts_are_counted_as_stripe_does(amount: str, currency: str, counted: int) -> None:
    assert minor(Decimal(amount), currency) == counted
    assert exact(counted, currency) == Decimal(amount)
    with pytest.raises(ValueError, match="decimals"):
        minor(Decimal("0.0001"), currency)
