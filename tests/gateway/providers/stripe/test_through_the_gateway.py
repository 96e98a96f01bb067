"""Real cards through the API of the gateway and Stripe: confirmed in its fields, captured, refunded, and voided."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.refunds import due as due_refunds
from gateway.refunds.models import Refund
from tests.support.cards import Session, opened, order, outcome
from tests.support.companies import Shop
from tests.support.production import api_of, live, pass_time
from tests.support.providers import connected
from tests.support.stripe.events import delivered, event, signed
from tests.support.stripe.stand_in import APPROVED, REFUSED, StandIn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def account(acme: Shop, stand_in: StandIn) -> ProviderAccount:
    """Both kinds of cards in reais."""
    live(acme, method="CREDIT_CARD")
    account = connected("stripe", stand_in.credentials(), "CREDIT_CARD", "DEBIT_CARD")
    stand_in.calls.clear()
    return account


@pytest.fixture
def session(acme: Shop, account: ProviderAccount) -> Session:
    return opened(api_of(acme))


def stored() -> Payment:
    return Payment.objects.get()


def types(stand_in: StandIn, number: str = APPROVED) -> None:
    """The payer types a card into the fields of Stripe, and its library confirms."""
    stand_in.confirm(stored().details["intent"], number)


def told(account: ProviderAccount, kind: str, subject: Any = None) -> int:
    about = subject or {"metadata": {"onpay_payment": stored().pk}}
    return delivered(account, event(kind, about))


def test_a_card_is_paid_and_refunded_in_part(
    acme: Shop, session: Session, stand_in: StandIn, account: ProviderAccount
) -> None:
    fields = session.call("session").json()["fields"]
    assert (fields["acquirer"], fields["publicKey"]) == ("stripe", account.shown["publishable_key"])
    types(stand_in)

    assert outcome(session.call("confirm", {})) == (200, "PAID")

    payment = stored()
    assert payment.details["card"] == {"brand": "visa", "last4": "4242", "funding": "credit"}
    assert (payment.rail_reference or "").startswith("ch_")
    assert fields["secret"] not in str(payment.details)
    assert api_of(acme).post(f"/payments/{payment.pk}/refunds", {"amount": 75.00}).status_code == 201
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()
    refund = Refund.objects.get()
    assert (refund.status, (refund.end_to_end_id or "")[:3]) == ("COMPLETED", "re_")


def test_a_prepaid_card_is_priced_as_a_debit_card(session: Session, stand_in: StandIn) -> None:
    stand_in.funding = "prepaid"
    types(stand_in)

    assert outcome(session.call("confirm", {})) == (200, "PAID")
    assert (stored().method, stored().settlement_days) == ("DEBIT_CARD", 1)


def test_a_refused_card_closes_the_fields(session: Session, stand_in: StandIn) -> None:
    types(stand_in, REFUSED)

    assert outcome(session.call("confirm", {})) == (200, "CARD_REFUSED")

    intent = stand_in.call("GET", f"/v1/payment_intents/{stored().details['intent']}")
    assert (stored().status, intent["status"]) == ("FAILED", "canceled")
    assert stored().rail_reference == intent["latest_charge"]["id"]


def test_a_webhook_is_enough_where_the_browser_never_comes_back(
    session: Session, stand_in: StandIn, account: ProviderAccount
) -> None:
    types(stand_in)

    assert told(account, "payment_intent.amount_capturable_updated") == 200

    assert stored().status == "PAID"


def test_a_webhook_alone_pays_nothing_and_a_forged_one_is_not_taken(
    session: Session, stand_in: StandIn, account: ProviderAccount
) -> None:
    body = event("payment_intent.succeeded", {"metadata": {"onpay_payment": stored().pk}})
    assert told(account, "payment_intent.succeeded") == 200
    assert delivered(account, body, signed(body, secret="whsec_of_somebody_else")) != 200
    assert stored().status == "ACTION_REQUIRED"


def test_an_expired_session_is_closed_at_stripe(session: Session, stand_in: StandIn) -> None:
    intent = stored().details["intent"]

    assert pass_time(session.id, minutes=31).status == "EXPIRED"
    assert stand_in.call("GET", f"/v1/payment_intents/{intent}")["status"] == "canceled"


def test_a_lost_creation_is_the_same_intent_when_repeated(
    acme: Shop, account: ProviderAccount, stand_in: StandIn
) -> None:
    stand_in.will("half a body")
    key, body = "0f0e0d0c-0b0a-4908-8706-050403020100", order()

    assert api_of(acme).post("/payments", body, key=key).status_code == 503
    assert api_of(acme).post("/payments", body, key=key).status_code == 202

    assert stand_in.calls == ["POST /payment_intents", "POST /payment_intents"]
    assert len(stand_in.answers) == 1


def test_an_amount_below_the_minimum_of_stripe_is_named(
    acme: Shop, account: ProviderAccount, stand_in: StandIn
) -> None:
    stand_in.will("too small")

    answer = api_of(acme).post("/payments", order())

    assert (answer.status_code, answer.json()["onpayCode"]) == (422, "ONP422_CREDIT_CARD_AMOUNT_TOO_SMALL")
    assert (answer.json()["error"]["paymentId"], stored().status) == (stored().pk, "FAILED")
