"""A saved card belongs to one person: nobody becomes its customer by naming somebody else's e-mail address."""

from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from django.test import Client
from django.urls import reverse

from accounts.roles import Role
from gateway.payments.models import Payment
from gateway.requests.models import ApiRequest
from gateway.saved_cards.models import SavedCard
from tests.support.api import Api
from tests.support.cards import opened, outcome, refusal
from tests.support.companies import Shop
from tests.support.people import a_member, signed_in
from tests.support.refunds import decided, refunded
from tests.support.saved_cards import cards, charged, removed, saved

ANA = {"name": "Ana Costa", "email": "ana@example.com"}
MALLORY = {"name": "Mallory", "taxId": "11144477735", "taxIdType": "CPF", "email": "ana@example.com"}
INVALID = (422, "ONP422_CREDIT_CARD_PAYMENT_METHOD_TOKEN_INVALID")


def test_a_card_is_not_saved_for_somebody_who_named_the_same_address(api: Api) -> None:
    session = opened(api, payer=MALLORY)
    theirs = session.payment["customer"]["id"]

    card = saved(api, payer=ANA, currency="USD")

    assert card["customerId"] != theirs
    assert cards(api, theirs) == []
    assert refusal(charged(api, card["id"], payer=MALLORY)) == INVALID
    assert charged(api, card["id"], payer=ANA, currency="USD").status_code == 201


def test_an_address_alone_does_not_charge_the_card_of_a_person_with_a_tax_id(api: Api) -> None:
    card = saved(api, payer=MALLORY)
    payments = Payment.objects.count()

    assert refusal(charged(api, card["id"], payer=ANA, currency="USD")) == INVALID

    assert Payment.objects.count() == payments
    assert charged(api, card["id"], payer=MALLORY).status_code == 201


def test_a_removed_card_does_not_come_back(api: Api) -> None:
    """Not with a refund of the payment that had saved it once more."""
    card = saved(api)
    session = opened(api, savePaymentMethod=True)
    assert outcome(session.pay()) == (200, "PAID")
    assert removed(api, card).status_code == 200

    assert decided(api, refunded(api, session.id, amount=1), "COMPLETED").status_code == 200

    assert cards(api, card["customerId"]) == []
    assert SavedCard.objects.filter(removed_at=None).count() == 0


def test_the_link_that_removes_is_in_no_log(api: Api, request_log: ModuleType, caplog: Any, capfd: Any) -> None:
    card = saved(api)
    Client().get(urlsplit(card["removalUrl"]).path)
    request_log.flush()

    told = str(list(ApiRequest.objects.values())) + caplog.text + "".join(capfd.readouterr())
    assert card["id"] in told
    assert card["removalUrl"].rpartition(":")[2] not in told


def test_an_id_with_a_zero_byte_is_unknown(api: Api, acme: Shop) -> None:
    card = saved(api)
    support = signed_in(a_member(acme.company, Role.SUPPORT))
    for token in ("\0", f"{card['id']}\0"):
        page = reverse("dashboard:remove_saved_card", args=[acme.company.pk, "sandbox", card["customerId"], token])
        assert support.post(page).status_code == 404
    assert len(cards(api, card["customerId"])) == 1
