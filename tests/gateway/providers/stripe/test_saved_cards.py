"""Cards saved in Stripe's vault: charged again by their token, confirmed by their holder, updated, and removed."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.saved_cards import due
from gateway.saved_cards.models import AcquirerToken, SavedCard
from tests.support.cards import Session, opened, order, outcome, refusal
from tests.support.companies import Shop
from tests.support.production import api_of, live, pass_time
from tests.support.providers import connected
from tests.support.saved_cards import cards, charged, removed
from tests.support.stripe.events import delivered, event
from tests.support.stripe.stand_in import APPROVED, CHALLENGE, REFUSED, StandIn

pytestmark = pytest.mark.django_db(transaction=True)
INVALID = (422, "ONP422_CREDIT_CARD_PAYMENT_METHOD_TOKEN_INVALID")


@pytest.fixture
def account(acme: Shop, stand_in: StandIn) -> ProviderAccount:
    """Both kinds of cards in reais."""
    live(acme, method="CREDIT_CARD")
    acme.production.card_tokens_enabled = True
    acme.production.save()
    return connected("stripe", stand_in.credentials(), "CREDIT_CARD", "DEBIT_CARD")


def saved(shop: Shop, stand_in: StandIn, number: str = APPROVED) -> Any:
    """A card that a payer types into the fields of Stripe, once it is authorized."""
    session = opened(api_of(shop), savePaymentMethod=True)
    stand_in.confirm(Payment.objects.get(pk=session.id).details["intent"], number)
    session.call("confirm", {})
    [card] = cards(api_of(shop), session.payment["customer"]["id"])
    stand_in.calls.clear()
    return card


@pytest.fixture
def card(acme: Shop, account: ProviderAccount, stand_in: StandIn) -> Any:
    return saved(acme, stand_in)


def vaulted() -> AcquirerToken:
    return AcquirerToken.objects.get()


def charges(stand_in: StandIn) -> int:
    return stand_in.calls.count("POST /payment_intents")


def newest() -> Payment:
    return Payment.objects.latest("created_at")


def authorized_elsewhere(stand_in: StandIn) -> list[str]:
    intents = [stand_in.call("GET", f"/v1/payment_intents/{one}") for one in stand_in.vault.ours]
    return [one["status"] for one in intents]


def test_a_card_is_saved_charged_and_removed_at_stripe(
    acme: Shop, card: Any, account: ProviderAccount, stand_in: StandIn
) -> None:
    assert (card["brand"], card["last4"], card["expMonth"], card["expYear"]) == ("visa", "4242", 12, 2040)
    kept = bytes(vaulted().sealed or b"").decode() + str(vars(vaulted())) + str(vars(SavedCard.objects.get()))
    assert "pm_" not in kept and "cus_" not in kept.replace(card["customerId"], "")

    paid = charged(api_of(acme), card["id"])

    payment = newest()
    assert (paid.status_code, payment.status, payment.details["card"]["last4"]) == (201, "AUTHORIZED", "4242")
    assert pass_time(payment.pk, seconds=1).status == "PAID"
    assert (charges(stand_in), "vault" in newest().details) == (1, False)
    assert removed(api_of(acme), card).status_code == 200
    assert refusal(charged(api_of(acme), card["id"])) == INVALID
    stand_in.will("500", "", on="DELETE")
    assert (due.run_due(10), vaulted().removed_at) == (1, None)
    AcquirerToken.objects.update(ask_at=F("ask_at") - timedelta(hours=1))
    due.run_due(10)
    assert (vaulted().sealed, vaulted().digest, vaulted().removed_at is None) == (None, None, False)
    assert stand_in.calls.count("DELETE /customers/cus") == 0
    assert sum(call.startswith("DELETE /customers/cus_") for call in stand_in.calls) == 2
    assert Payment.objects.count() == 2


def test_a_refusal_of_the_issuer_is_final_and_said_at_creation(
    acme: Shop, account: ProviderAccount, stand_in: StandIn
) -> None:
    card = saved(acme, stand_in)
    method = stand_in.call("GET", f"/v1/payment_intents/{newest().details['intent']}")["payment_method"]
    stand_in.vault.plays[method] = REFUSED

    answer = charged(api_of(acme), card["id"])

    assert refusal(answer) == (422, "ONP422_CREDIT_CARD_REJECTED")
    assert (newest().status, newest().failure_code, charges(stand_in)) == ("FAILED", "CARD_REFUSED", 1)
    assert len(cards(api_of(acme), card["customerId"])) == 1, "it may be charged another time"


def test_a_holder_who_is_present_confirms_in_the_browser(
    acme: Shop, account: ProviderAccount, stand_in: StandIn
) -> None:
    card = saved(acme, stand_in)
    method = stand_in.call("GET", f"/v1/payment_intents/{newest().details['intent']}")["payment_method"]
    stand_in.vault.plays[method] = CHALLENGE

    answer = api_of(acme).post("/payments", order(paymentMethodToken=card["id"]))

    assert (answer.status_code, answer.json()["onpayCode"]) == (202, "ONP202_3DS")
    session = Session(answer.json()["data"])
    told = session.call("session").json()
    assert (told["needsCard"], told["fields"]["acquirer"]) == (False, "stripe")
    intent = newest().details["intent"]
    stand_in.call(
        "POST", f"/v1/payment_intents/{intent}/_authenticate", client_secret=told["fields"]["secret"], success="true"
    )
    assert outcome(session.call("confirm", {})) == (200, "PAID")
    assert charges(stand_in) == 1


@pytest.mark.parametrize("failure", ["timeout after", "half a body"])
def test_a_charge_without_an_answer_is_looked_for_and_made_once(
    acme: Shop, card: Any, account: ProviderAccount, stand_in: StandIn, failure: str
) -> None:
    stand_in.will(failure, on="POST /payment_intents$")
    assert charged(api_of(acme), card["id"]).status_code == 503

    payment = pass_time(newest().pk, minutes=2)

    assert (payment.status, charges(stand_in)) == ("PAID", 1)
    assert authorized_elsewhere(stand_in) == ["succeeded"] * 2


def test_a_charge_that_nobody_waits_for_any_more_is_voided(
    acme: Shop, card: Any, account: ProviderAccount, stand_in: StandIn
) -> None:
    stand_in.will("timeout after", on="POST /payment_intents$")
    assert charged(api_of(acme), card["id"]).status_code == 503

    payment = pass_time(newest().pk, minutes=40)

    assert (payment.status, charges(stand_in)) == ("EXPIRED", 1)
    assert authorized_elsewhere(stand_in) == ["succeeded", "canceled"]


def test_a_card_whose_account_is_paused_is_refused_clearly(
    acme: Shop, card: Any, account: ProviderAccount, stand_in: StandIn
) -> None:
    other = connected("stripe", stand_in.credentials(publishable_key="pk_live_other12345678"), "CREDIT_CARD")
    ProviderAccount.objects.filter(pk=account.pk).update(status="PAUSED")

    answer = charged(api_of(acme), card["id"])

    assert refusal(answer) == (422, "ONP422_CREDIT_CARD_SAVED_CARD_UNAVAILABLE")
    assert (charges(stand_in), Payment.objects.count()) == (0, 1)
    assert opened(api_of(acme)).payment["id"] == Payment.objects.get(account=other).pk


def test_an_updated_card_follows_and_one_that_stripe_lost_is_removed(
    acme: Shop, card: Any, account: ProviderAccount, stand_in: StandIn
) -> None:
    intent = stand_in.call("GET", f"/v1/payment_intents/{newest().details['intent']}")
    method = intent["payment_method"]
    newer = {"brand": "visa", "last4": "1881", "funding": "credit", "exp_month": 11, "exp_year": 2045}
    stand_in.call("POST", f"/v1/payment_methods/{method}", **{f"card[{name}]": value for name, value in newer.items()})
    assert delivered(account, event("payment_method.automatically_updated", {"id": method, "card": {}})) == 200
    [now] = cards(api_of(acme), card["customerId"])
    assert (now["id"], now["last4"], now["expMonth"], now["expYear"]) == (card["id"], "1881", 11, 2045)

    assert delivered(account, event("payment_method.detached", {"id": method})) == 200
    assert len(cards(api_of(acme), card["customerId"])) == 1, "Stripe itself still has it"
    stand_in.call("POST", f"/v1/payment_methods/{method}/detach")
    assert delivered(account, event("payment_method.detached", {"id": method, "again": 1})) == 200

    assert cards(api_of(acme), card["customerId"]) == []
    assert (vaulted().sealed, SavedCard.objects.get().removed_by) == (None, "ACQUIRER")


def test_a_payer_who_is_not_authorized_saves_nothing(acme: Shop, account: ProviderAccount, stand_in: StandIn) -> None:
    session = opened(api_of(acme), savePaymentMethod=True)
    stand_in.confirm(newest().details["intent"], REFUSED)

    assert outcome(session.call("confirm", {})) == (200, "CARD_REFUSED")
    assert SavedCard.objects.count() == 0
    assert [call[:20] for call in stand_in.calls if call.startswith("DELETE")] == ["DELETE /customers/cu"]


def test_a_card_that_must_not_be_charged_is_saved_nowhere(
    acme: Shop, account: ProviderAccount, stand_in: StandIn
) -> None:
    stand_in.funding = "unknown"
    session = opened(api_of(acme), savePaymentMethod=True)
    stand_in.confirm(newest().details["intent"])

    assert outcome(session.call("confirm", {})) == (200, "UNKNOWN_CARD_TYPE")

    assert SavedCard.objects.count() == 0
    assert sum(call.startswith("DELETE /customers/") for call in stand_in.calls) == 1
    assert (due.run_due(10), vaulted().sealed) == (1, None)


def test_a_saved_card_outlives_an_authorization_that_was_never_captured(
    acme: Shop, account: ProviderAccount, stand_in: StandIn
) -> None:
    stand_in.will("500", "500", on="capture$")
    card = saved(acme, stand_in)
    assert newest().status == "AUTHORIZED"
    assert pass_time(newest().pk, days=8).status == "EXPIRED"

    assert charged(api_of(acme), card["id"]).status_code == 201


def test_a_card_that_is_removed_while_it_is_charged_leaves_stripe_afterwards(
    acme: Shop, card: Any, account: ProviderAccount, stand_in: StandIn
) -> None:
    stand_in.will("timeout after", on="POST /payment_intents$")
    assert charged(api_of(acme), card["id"]).status_code == 503
    assert removed(api_of(acme), card).status_code == 200

    due.run_due(10)
    assert not any(call.startswith("DELETE") for call in stand_in.calls)
    assert (pass_time(newest().pk, minutes=2).status, charges(stand_in)) == ("PAID", 1)

    AcquirerToken.objects.update(ask_at=F("ask_at") - timedelta(hours=1))
    due.run_due(10)
    assert (vaulted().sealed, sum(call.startswith("DELETE") for call in stand_in.calls)) == (None, 1)
