"""A card session at Stripe that Adyen takes over, and the other way round: nobody is charged at both."""

from collections.abc import Iterator
from typing import Any

import pytest

from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from tests.support.adyen.account import entered
from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.adyen.books import state_data
from tests.support.adyen.webhooks import settled, told
from tests.support.cards import Session, lookup, opened, outcome
from tests.support.companies import Shop
from tests.support.production import api_of, live
from tests.support.providers import connected, routed
from tests.support.stripe.events import delivered, event
from tests.support.stripe.stand_in import APPROVED, REFUSED, StandIn, in_front_of, localstripe

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with localstripe() as port:
        yield port


@pytest.fixture
def stripe(port: int) -> Iterator[StandIn]:
    with in_front_of(port) as stand_in:
        yield stand_in


@pytest.fixture
def adyen() -> Iterator[Acquirer]:
    with open_acquirer() as acquirer:
        yield acquirer


@pytest.fixture
def accounts(transactional_db: None, acme: Shop, stripe: StandIn, adyen: Acquirer) -> dict[str, ProviderAccount]:
    live(acme, method="CREDIT_CARD")
    return {"stripe": connected("stripe", stripe.credentials()), "adyen": entered(adyen)}


@pytest.fixture
def at_stripe(acme: Shop, accounts: dict[str, ProviderAccount]) -> Session:
    """Its session is at Stripe, and Adyen is next."""
    routed(accounts["stripe"], accounts["adyen"], method="CREDIT_CARD")
    return opened(api_of(acme))


@pytest.fixture
def at_adyen(acme: Shop, accounts: dict[str, ProviderAccount]) -> Session:
    routed(accounts["adyen"], accounts["stripe"], method="CREDIT_CARD")
    return opened(api_of(acme))


def stored() -> Payment:
    return Payment.objects.get()


def moved(shop: Shop, session: Session, answer: Any) -> Session:
    assert list(answer.json()) == ["session"], answer.content
    again = Session(lookup(api_of(shop), session))
    assert answer.json()["session"]["clientSecret"] == again.secret != session.secret
    return again


def intent_at(stripe: StandIn, intent: str) -> Any:
    return stripe.call("GET", f"/v1/payment_intents/{intent}")


def test_what_stripe_did_not_process_is_paid_at_adyen(
    acme: Shop, at_stripe: Session, stripe: StandIn, adyen: Acquirer, accounts: dict[str, ProviderAccount]
) -> None:
    intent = stored().details["intent"]
    stripe.refusal = "processing_error"
    stripe.confirm(intent, REFUSED)

    again = moved(acme, at_stripe, at_stripe.call("confirm", {}))

    assert intent_at(stripe, intent)["status"] == "canceled"
    assert again.call("session").json()["fields"]["acquirer"] == "adyen"
    about = {"metadata": {"onpay_payment": at_stripe.id}}
    assert delivered(accounts["stripe"], event("payment_intent.canceled", about)) == 200
    assert stored().status == "ACTION_REQUIRED", "a message of the former acquirer"
    assert outcome(again.call("confirm", {"acquirer": state_data("credit")})) == (200, "AUTHORIZED")
    settled(accounts["adyen"], adyen.books.changes[0])
    assert (stored().status, stored().rail_reference) == ("PAID", adyen.books.newest().psp)


def test_a_card_that_the_issuer_declined_stays_declined(at_stripe: Session, stripe: StandIn, adyen: Acquirer) -> None:
    stripe.confirm(stored().details["intent"], REFUSED)

    assert outcome(at_stripe.call("confirm", {})) == (200, "CARD_REFUSED")

    assert adyen.books.payments == {}


def test_what_adyen_did_not_process_is_paid_at_stripe_and_late_money_there_is_released(
    acme: Shop, at_adyen: Session, stripe: StandIn, adyen: Acquirer, accounts: dict[str, ProviderAccount]
) -> None:
    again = moved(acme, at_adyen, at_adyen.call("confirm", {"acquirer": state_data("acquirer")}))

    assert (again.call("session").json()["fields"]["acquirer"], adyen.books.changes) == ("stripe", [])
    told(accounts["adyen"], "AUTHORISATION", adyen.books.newest(), success=False)
    told(accounts["adyen"], "AUTHORISATION", adyen.books.newest(), additionalData={"fundingSource": "CREDIT"})
    assert [(change.kind, change.payment) for change in adyen.books.changes] == [("cancels", adyen.books.newest())]
    settled(accounts["adyen"], adyen.books.changes[0])
    assert stored().status == "ACTION_REQUIRED"
    stripe.confirm(stored().details["intent"], APPROVED)
    assert outcome(again.call("confirm", {})) == (200, "PAID")
    assert (stored().account, (stored().rail_reference or "")[:3]) == (accounts["stripe"], "ch_")


def test_a_request_that_adyen_rejects_goes_to_stripe(acme: Shop, at_adyen: Session, adyen: Acquirer) -> None:
    adyen.will("422", on="/payments$")

    again = moved(acme, at_adyen, at_adyen.call("confirm", {"acquirer": state_data("credit")}))

    assert again.call("session").json()["fields"]["acquirer"] == "stripe"


def test_an_adyen_that_cannot_be_reached_is_left_for_stripe(acme: Shop, accounts: dict[str, ProviderAccount]) -> None:
    with open_acquirer() as soon_away:
        routed(entered(soon_away, "Away"), accounts["stripe"], method="CREDIT_CARD")
        session = opened(api_of(acme))

    again = moved(acme, session, session.call("confirm", {"acquirer": state_data("credit")}))

    assert again.call("session").json()["fields"]["acquirer"] == "stripe"


def test_what_is_unclear_at_adyen_is_tried_nowhere_else(at_adyen: Session, adyen: Acquirer) -> None:
    adyen.will("500 after", on="/payments$")

    assert outcome(at_adyen.call("confirm", {"acquirer": state_data("credit")})) == (200, "PENDING")

    assert stored().account == ProviderAccount.objects.get(title="Adyen")


def test_stripes_fields_cannot_be_mounted_and_are_closed_first(acme: Shop, at_stripe: Session, stripe: StandIn) -> None:
    intent = stored().details["intent"]

    again = moved(acme, at_stripe, at_stripe.call("confirm", {"fieldsUnavailable": True}))

    assert intent_at(stripe, intent)["status"] == "canceled"
    assert again.call("session").json()["fields"]["acquirer"] == "adyen"


def test_a_card_that_was_confirmed_at_stripe_is_paid_there_though_another_tab_has_no_fields(
    at_stripe: Session, stripe: StandIn, adyen: Acquirer
) -> None:
    stripe.confirm(stored().details["intent"], APPROVED)

    assert outcome(at_stripe.call("confirm", {"fieldsUnavailable": True})) == (200, "PAID")

    assert adyen.books.payments == {}


def test_what_3ds_refuses_at_stripe_is_final_although_it_is_called_an_error_of_the_request(
    acme: Shop, at_stripe: Session, stripe: StandIn, adyen: Acquirer
) -> None:
    stripe.refusal = "payment_intent_authentication_failure"
    stripe.confirm(stored().details["intent"], REFUSED)

    assert outcome(at_stripe.call("confirm", {})) == (200, "THREE_DS_REFUSED")

    assert (stored().status, stored().moved_from_id) == ("FAILED", None)
    assert adyen.books.payments == {}
