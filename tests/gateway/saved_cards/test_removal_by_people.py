"""Members remove saved cards on the customer's page, and payers by the link that is theirs."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts.models import AuditEntry
from accounts.roles import Role
from gateway.saved_cards.models import SavedCard
from tests.support.api import Api
from tests.support.cards import browser, opened, outcome, refusal
from tests.support.companies import Shop
from tests.support.people import a_member, signed_in
from tests.support.saved_cards import cards, charged, saved


def page(shop: Shop, card: Any, name: str = "remove_saved_card") -> str:
    address = [shop.company.pk, "sandbox", card["customerId"], *([card["id"]] if name != "customer" else [])]
    return reverse(f"dashboard:{name}", args=address)


def test_support_removes_a_card_and_a_viewer_cannot(api: Api, acme: Shop) -> None:
    card = saved(api)
    viewer, support = (signed_in(a_member(acme.company, role)) for role in (Role.VIEWER, Role.SUPPORT))

    assert viewer.post(page(acme, card)).status_code == 403
    assert "•••• 4242" in viewer.get(page(acme, card, "customer")).content.decode()
    assert page(acme, card) not in viewer.get(page(acme, card, "customer")).content.decode()
    assert page(acme, card) in support.get(page(acme, card, "customer")).content.decode()
    assert "4242" in support.get(page(acme, card)).content.decode()
    assert [one["id"] for one in cards(api, card["customerId"])] == [card["id"]]

    support.post(page(acme, card))

    assert cards(api, card["customerId"]) == []
    assert SavedCard.objects.get().removed_by == "DASHBOARD"
    entry = AuditEntry.objects.get(action="saved_card.removed")
    assert (entry.object_id, entry.after["last4"]) == (card["id"], "4242")
    assert support.post(page(acme, card)).status_code == 404


def test_another_company_sees_no_card(api: Api, acme: Shop, globex: Shop) -> None:
    card = saved(api)
    stranger = signed_in(a_member(globex.company))

    assert stranger.post(page(acme, card)).status_code == 404
    assert stranger.post(page(globex, card)).status_code == 404
    assert len(cards(api, card["customerId"])) == 1


@pytest.mark.parametrize(("language", "word"), [("pt-BR", "cartão"), ("es", "tarjeta"), ("en", "Remove this card")])
def test_payers_remove_their_card_themselves(api: Api, language: str, word: str) -> None:
    card = saved(api)
    link, payer = urlsplit(card["removalUrl"]).path, Client(enforce_csrf_checks=True, HTTP_ACCEPT_LANGUAGE=language)

    shown = payer.get(link)
    assert word in shown.content.decode()
    assert "•••• 4242" in shown.content.decode()
    assert shown["Referrer-Policy"] == "no-referrer"
    assert len(cards(api, card["customerId"])) == 1, "looking changes nothing"

    for _ in range(2):
        assert payer.post(link)["Location"] == link

    assert "<form" not in payer.get(link).content.decode()
    assert refusal(charged(api, card["id"])) == (422, "ONP422_CREDIT_CARD_PAYMENT_METHOD_TOKEN_INVALID")
    assert SavedCard.objects.get().removed_by == "PAYER"


def test_the_id_alone_removes_nothing(api: Api) -> None:
    card = saved(api)
    signed = urlsplit(card["removalUrl"]).path

    for link in (f"/saved-cards/{card['id']}", signed[:-1], f"{signed}x", "/saved-cards/x:y"):
        assert Client().post(link).status_code == 404

    assert len(cards(api, card["customerId"])) == 1


def test_the_hosted_page_leads_the_payer_there(api: Api) -> None:
    session = opened(api, savePaymentMethod=True)
    link = "/saved-cards/"
    assert link not in browser().get(session.page).content.decode()
    assert outcome(session.pay()) == (200, "PAID")
    [card] = cards(api, session.payment["customer"]["id"])

    assert escape(card["removalUrl"]) in browser().get(session.page).content.decode()
    other = opened(api)
    other.pay()
    assert link not in browser().get(other.page).content.decode()
