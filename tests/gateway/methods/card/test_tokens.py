"""Card tokens of the sandbox, and the cards that it knows."""

from datetime import timedelta

import pytest
from django.db import transaction

from accounts.base.clock import utcnow
from gateway.methods.card import tokens
from gateway.methods.card.cards import Card, Funding, Plays
from gateway.methods.card.models import CardToken
from gateway.methods.card.sandbox_cards import STORED_CARDS

CARD = Card("visa", "4242", Funding.DEBIT, Plays.CHALLENGE)


def aged(by: timedelta) -> None:
    CardToken.objects.update(created_at=utcnow() - by)


def test_the_saved_cards_are_those_of_the_contract() -> None:
    assert {card.token.removeprefix("pmt_sandbox_") for card in STORED_CARDS} == {
        "approved", "authorized", "3ds", "refused", "insufficient_funds", "expired_card", "timeout", "debit",
    }  # fmt: skip


def refused(payment_id: str, token: str) -> None:
    with pytest.raises(tokens.CardTokenInvalid), transaction.atomic():
        tokens.use(payment_id, token)


@pytest.mark.django_db
def test_a_token_pays_its_own_payment_once() -> None:
    token = tokens.issue("pay_one", CARD)

    refused("pay_other", token)
    assert tokens.use("pay_one", token) == CARD
    refused("pay_one", token)


@pytest.mark.django_db
def test_a_token_lasts_ten_minutes_and_its_card_a_day() -> None:
    token = tokens.issue("pay_one", CARD)
    aged(tokens.VALID)

    refused("pay_one", token)
    assert tokens.forget_old() == 0

    aged(timedelta(days=1, seconds=1))

    assert tokens.forget_old() == 1


@pytest.mark.django_db
def test_a_payment_is_tried_with_twenty_cards_at_most() -> None:
    for _ in range(tokens.MOST_CARDS):
        tokens.issue("pay_one", CARD)

    with pytest.raises(tokens.TooManyCards):
        tokens.issue("pay_one", CARD)
    assert CardToken.objects.count() == tokens.MOST_CARDS
    tokens.issue("pay_other", CARD)
