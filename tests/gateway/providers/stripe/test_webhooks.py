"""Webhooks of Stripe: signed lately, by a known secret, in the right system; what they name is looked up."""

import json
import time
from typing import Any

import pytest

from accounts.base.ids import new_id
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentResult
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import InvalidAccount, Unreadable
from gateway.providers.provider import Message, Notice
from gateway.providers.stripe.provider import StripeCredentials, StripeProvider
from gateway.providers.stripe.rail import StripeCard
from tests.support.receiver import Received, Receiver, listening
from tests.support.stripe.events import event, message, signed
from tests.support.stripe.stand_in import StandIn

PAYMENT, REFUND = new_id("pay"), new_id("ref")
INTENT = {"object": "payment_intent", "id": "pi_1", "metadata": {"onpay_payment": PAYMENT}}


def read(provider: StripeProvider, body: bytes) -> list[Notice]:
    return list(provider.read(Message("", {}, body)))


def about(payment_id: str, receiver: Receiver) -> Received:
    """What arrives about the payment; localstripe may still be telling of others."""
    for _ in range(200):
        if found := [one for one in receiver.received if payment_id.encode() in one.body]:
            return found[0]
        time.sleep(0.05)
    raise AssertionError("nothing arrived")


def test_what_localstripe_signs_is_believed_and_names_the_payment(
    stand_in: StandIn, rail: StripeCard, order: PaymentOrder
) -> None:
    session = rail.instruct(order)
    with listening() as receiver:
        stand_in.send_webhooks_to(receiver.url)
        stand_in.confirm(session.details["intent"])
        stand_in.call("POST", f"/v1/payment_intents/{session.details['intent']}/capture")
        sent = about(order.payment_id, receiver)
    in_test = stand_in.credentials(secret_key="sk_test_51OnpayTests", publishable_key="pk_test_51OnpayTests")
    provider = StripeProvider(StripeCredentials.model_validate(in_test))
    told = Message("", sent.headers, sent.body)

    assert provider.verify(told)
    assert not provider.verify(Message("", sent.headers, sent.body.replace(b"20000", b"20001")))
    assert list(provider.read(told)) == [Notice(order.payment_id, PaymentAction.PAY, PaymentResult.DONE)]


def test_only_a_fresh_signature_by_a_known_secret_in_the_right_system_counts(stand_in: StandIn) -> None:
    body = event("payment_intent.succeeded", INTENT)
    other = "whsec_the_former_one_of_them"
    provider = StripeProvider(StripeCredentials.model_validate(stand_in.credentials(other_signing_secret=other)))

    assert provider.verify(message(body)) and provider.verify(message(body, secret=other))
    assert not provider.verify(message(body, secret="whsec_of_somebody_else"))
    assert not provider.verify(message(body, ago_s=301))
    assert not provider.verify(message(event("payment_intent.succeeded", INTENT, live=False)))
    assert not provider.verify(Message("", {"stripe-signature": signed(body)}, body + b" "))
    assert not provider.verify(message(b"\xff\xfe"))
    without = StripeProvider(StripeCredentials.model_validate(stand_in.credentials(signing_secret=None)))
    assert not without.verify(message(body))


@pytest.mark.parametrize(("kind", "subject", "expected"), [
    ("payment_intent.succeeded", INTENT, [Notice(PAYMENT, PaymentAction.PAY, PaymentResult.DONE)]),
    ("payment_intent.amount_capturable_updated", INTENT, [Notice(PAYMENT, PaymentAction.PAY)]),
    ("payment_intent.payment_failed", INTENT, [Notice(PAYMENT, PaymentAction.PAY)]),
    ("charge.refunded", INTENT | {"refunds": {"data": [{"metadata": {"onpay_refund": REFUND}}]}},
     [Notice(PAYMENT, PaymentAction.PAY), Notice(REFUND, PaymentAction.REFUND)]),
    ("charge.refunded", INTENT | {"refunds": None}, [Notice(PAYMENT, PaymentAction.PAY)]),
    ("refund.updated", {"metadata": {"onpay_refund": REFUND}}, [Notice(REFUND, PaymentAction.REFUND)]),
    ("refund.failed", {"metadata": {"onpay_refund": "wdr_1"}}, []),
    ("payment_intent.succeeded", {"metadata": {"onpay_payment": ["x"]}}, []),
    ("payment_intent.succeeded", {"metadata": None}, []),
    ("customer.created", INTENT, []),
])  # fmt: skip
def test_an_event_names_payments_and_refunds_of_ours(
    provider: StripeProvider, kind: str, subject: dict[str, Any], expected: list[Notice]
) -> None:
    assert read(provider, event(kind, subject)) == expected


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"type": 1}', b'{"type": "refund.x", "data": []}', b"\xff"])
def test_what_is_no_event_is_unreadable(provider: StripeProvider, body: bytes) -> None:
    with pytest.raises(Unreadable):
        read(provider, body)


@pytest.mark.parametrize("wrong", [
    {"secret_key": "sk_test_51OnpayTestsOnly"}, {"secret_key": "pk_live_51OnpayTestsOnly"},
    {"publishable_key": "sk_live_51OnpayTestsOnly"}, {"signing_secret": "short"},
])  # fmt: skip
def test_keys_of_two_systems_or_of_another_kind_are_refused(stand_in: StandIn, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidAccount) as refused:
        sealed_of(StripeProvider, stand_in.credentials(**wrong), "PRODUCTION")
    assert not any(value in json.dumps(str(refused.value)) for value in wrong.values())


def test_keys_of_the_test_system_are_refused_for_production_and_the_reverse(stand_in: StandIn) -> None:
    live = stand_in.credentials()
    in_test = live | {"secret_key": "rk_test_51OnpayTestsOnly", "publishable_key": "pk_test_51OnpayTestsOnly"}
    for given, system in ((in_test, "PRODUCTION"), (live, "TEST")):
        with pytest.raises(InvalidAccount):
            sealed_of(StripeProvider, given, system)
    assert sealed_of(StripeProvider, live, "PRODUCTION").shown["publishable_key"] == live["publishable_key"]
