"""Saving and removing cards."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

import structlog
from django.db import transaction

from accounts import audit
from accounts.audit import Actor
from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.base.ids import is_well_formed, new_id
from accounts.models import Merchant
from gateway.customers.models import Customer
from gateway.methods.card.cards import CardFacts, Tokenized
from gateway.providers.models import ProviderAccount
from gateway.saved_cards import payloads
from gateway.saved_cards.errors import SavedCardUnknown
from gateway.saved_cards.models import AcquirerToken, SavedCard
from gateway.saved_cards.selectors import sealed
from webhooks.outbox import emit

log = structlog.get_logger()
API, DASHBOARD, PAYER, ACQUIRER = "API", "DASHBOARD", "PAYER", "ACQUIRER"
"""By which way a card was removed."""
_TOLD = ("brand", "last4", "funding")


@transaction.atomic
def keep(
    merchant: Merchant,
    customer_id: str,
    payment_id: str,
    told: Mapping[str, Any],
    consented_at: datetime,
    at: datetime,
    *,
    account: ProviderAccount | None = None,
    tokenized: Tokenized | None = None,
) -> SavedCard:
    """Saves the card with which a payment was authorized: once, however often it is told.

    `told` is the card of the payment's details. A card of the same customer that looks the same is the same saved card,
    whether it is saved again at the same acquirer or at another one: it then has a token at both.
    """
    Customer.objects.select_for_update(no_key=True).get(pk=customer_id)  # one after the other
    known = SavedCard.objects.filter(saved_with=payment_id).first()
    if known is not None:
        return known
    facts = _facts(told, tokenized)
    card = _at(account, tokenized) or _same(merchant, customer_id, facts)
    if card is not None:
        _refresh(card, facts)
    else:
        card = SavedCard(merchant=merchant, customer_id=customer_id, saved_with=payment_id, **facts)
        card.consented_at, card.created_at = consented_at, at
        card.save(force_insert=True)
        emit(merchant, "payment_method.saved", card.pk, payloads.saved_card(card), at)
    if account is not None and tokenized is not None:
        _keep_token(card, account, tokenized)
    return card


def refresh(merchant: Merchant, card_id: str, told: Mapping[str, Any], tokenized: Tokenized) -> None:
    """What the acquirer told of a card when it was charged: it may have been replaced by a newer one."""
    card = SavedCard.objects.filter(merchant=merchant, pk=card_id).first()
    if card is not None:
        _refresh(card, _facts(told, tokenized))


def _facts(told: Mapping[str, Any], tokenized: Tokenized | None) -> dict[str, Any]:
    return {name: str(told.get(name, "")) for name in _TOLD} | {
        "exp_month": tokenized.exp_month if tokenized else told.get("expMonth"),
        "exp_year": tokenized.exp_year if tokenized else told.get("expYear"),
        "plays": "" if tokenized else str(told.get("plays", "")),
    }


def _refresh(card: SavedCard, facts: Mapping[str, Any]) -> None:
    """What was not told stays."""
    changed = {name: value for name, value in facts.items() if value and value != getattr(card, name)}
    if changed:
        SavedCard.objects.filter(pk=card.pk).update(**changed)
        for name, value in changed.items():
            setattr(card, name, value)


def _at(account: ProviderAccount | None, tokenized: Tokenized | None) -> SavedCard | None:
    """The card that this token of the account already is. A token that waits for its removal must not be removed any
    more; a removed card is another one than the card that is saved now.
    """
    if account is None or tokenized is None:
        return None
    held = AcquirerToken.objects.filter(account=account, digest=digest_of(account, tokenized.token))
    token = held.select_related("card").select_for_update(of=("self",), no_key=True).first()
    if token is None:
        return None
    if token.ask_at is not None:
        forgotten(token)
    return token.card if token.card and token.card.removed_at is None else None


def _same(merchant: Merchant, customer_id: str, facts: Mapping[str, Any]) -> SavedCard | None:
    """The customer's card that looks the same, down to the expiry date."""
    if not facts["exp_year"]:
        return None
    alike = SavedCard.objects.filter(merchant=merchant, customer=customer_id, removed_at=None, **facts)
    return alike.select_for_update(no_key=True).order_by("-created_at").first()


def _keep_token(card: SavedCard, account: ProviderAccount, tokenized: Tokenized) -> None:
    """The newest token of an account is used; one that it replaces is removed from the vault."""
    digest = digest_of(account, tokenized.token)
    former = AcquirerToken.objects.filter(card=card, account=account, removed_at=None, ask_at=None)
    former.exclude(digest=digest).update(ask_at=utcnow())
    AcquirerToken.objects.update_or_create(
        account=account,
        digest=digest,
        defaults={"sealed": sealed(tokenized), "is_network_token": tokenized.is_network_token},
        create_defaults={
            "id": new_id("act"),
            "merchant": card.merchant,
            "card": card,
            "sealed": sealed(tokenized),
            "is_network_token": tokenized.is_network_token,
        },
    )


def discard(merchant: Merchant, account: ProviderAccount, tokenized: Tokenized) -> None:
    """Has the acquirer remove a card that it stored with a payment that was not charged, unless the card was saved with
    another payment.
    """
    AcquirerToken.objects.get_or_create(
        account=account,
        digest=digest_of(account, tokenized.token),
        defaults={"id": new_id("act"), "merchant": merchant, "sealed": sealed(tokenized), "ask_at": utcnow()},
    )


def digest_of(account: ProviderAccount, token: str) -> str:
    """By which a message of the acquirer finds a token; it tells nothing of it."""
    return sha256(f"{account.pk}:{token}".encode()).hexdigest()


@transaction.atomic
def remove(
    merchant: Merchant, card_id: str, by: str, *, customer_id: str | None = None, actor: Actor | None = None
) -> SavedCard:
    """Refuses the card from now on, and has every acquirer remove it from its vault.

    Payments that were begun with it go on. Raises ONP404_SAVED_CARD, also for one that was removed before.
    """
    mine = SavedCard.objects.filter(merchant=merchant, removed_at=None)
    if customer_id is not None:
        mine = mine.filter(customer=customer_id)
    found = mine.select_for_update(no_key=True).filter(pk=card_id) if is_well_formed(card_id) else mine.none()
    card = found.first()
    if card is None:
        raise SavedCardUnknown
    card.merchant = merchant
    card.removed_at, card.removed_by = clock.now(merchant), by
    card.save(update_fields=["removed_at", "removed_by"])
    AcquirerToken.objects.filter(card=card, removed_at=None).update(ask_at=utcnow())
    if actor is not None:
        after = {"brand": card.brand, "last4": card.last4, "customer": card.customer_id}
        audit.record(actor, "saved_card.removed", merchant=merchant, object_id=card.pk, after=after)
    emit(merchant, "payment_method.removed", card.pk, payloads.saved_card(card), card.removed_at)
    return card


def updated(card: SavedCard, facts: CardFacts) -> None:
    """The card scheme may have replaced the card by a newer one."""
    _refresh(card, {"last4": facts.last4, "exp_month": facts.exp_month, "exp_year": facts.exp_year})


@transaction.atomic
def lost(token: AcquirerToken) -> None:
    """The acquirer cannot charge the card any more. One that no acquirer holds is removed."""
    forgotten(token)
    card = SavedCard.objects.select_related("merchant").filter(pk=token.card_id, removed_at=None).first()
    if card is not None and not AcquirerToken.objects.filter(card=card, removed_at=None, ask_at=None).exists():
        remove(card.merchant, card.pk, ACQUIRER)


def forgotten(token: AcquirerToken) -> None:
    """The acquirer does not have it any more, so that nothing of the acquirer's is kept. Another process that was
    asking for its removal changes nothing afterwards.
    """
    mine = AcquirerToken.objects.filter(pk=token.pk, leased_until=token.leased_until)
    mine.update(sealed=None, digest=None, ask_at=None, leased_until=None, removed_at=utcnow())
