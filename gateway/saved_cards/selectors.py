"""Reads of saved cards. The first argument is always the merchant."""

import json
from collections.abc import Iterable
from datetime import datetime

from django.db.models import QuerySet

from accounts.base.ids import is_well_formed
from accounts.base.sealing import seal, unseal
from accounts.environments import require_served
from accounts.models import Merchant
from gateway.methods.card.cards import Tokenized
from gateway.providers.models import ProviderAccount
from gateway.providers.needs import needed_for
from gateway.saved_cards.errors import SavedCardUnknown
from gateway.saved_cards.models import AcquirerToken, SavedCard


def listed(merchant: Merchant, customer_id: str) -> QuerySet[SavedCard]:
    """The customer's cards that can be used, newest first."""
    found = SavedCard.objects.filter(merchant=merchant, customer=customer_id, removed_at=None)
    return found.select_related("merchant__company").order_by("-created_at", "-pk")


def get(merchant: Merchant, customer_id: str, card_id: str) -> SavedCard:
    """The customer's card that can be used. Raises ONP404_SAVED_CARD."""
    found = listed(merchant, customer_id).filter(pk=card_id).first() if is_well_formed(card_id) else None
    if found is None:
        raise SavedCardUnknown
    return found


def usable(merchant: Merchant, customer_id: str, token: str, at: datetime) -> SavedCard | None:
    """The customer's card of this id, locked until the transaction ends: nobody removes it meanwhile.

    None alike for one that is unknown, removed or expired, or another customer's.
    """
    if not is_well_formed(token):
        return None
    mine = SavedCard.objects.filter(merchant=merchant, customer=customer_id, removed_at=None)
    card = mine.select_for_update(no_key=True).filter(pk=token).first()
    return None if card is None or has_expired(card, at) else card


def named_by_link(card_id: str) -> SavedCard | None:
    """The card of a signed link, with its merchant and company; also a removed one.

    Raises ONP403_ENVIRONMENT_NOT_SERVED.
    """
    found = SavedCard.objects.select_related("merchant__company").filter(pk=card_id)
    card = found.first() if is_well_formed(card_id) else None
    if card is not None:
        require_served(card.merchant)
    return card


def of_payment(payment_id: str) -> SavedCard | None:
    """The card that was saved with the payment, with its merchant."""
    return SavedCard.objects.select_related("merchant").filter(saved_with=payment_id, removed_at=None).first()


def has_expired(card: SavedCard, at: datetime) -> bool:
    """A card is valid until the last day of its month; without a known date it may be."""
    if card.exp_year is None or card.exp_month is None:
        return False
    return (card.exp_year, card.exp_month) < (at.year, at.month)


def tokens_of(card_id: str, accounts: Iterable[ProviderAccount]) -> dict[str, AcquirerToken]:
    """Account id → the card's token there, for those of the accounts that hold one."""
    found = AcquirerToken.objects.filter(card=card_id, account__in=list(accounts), removed_at=None, ask_at=None)
    return {token.account_id: token for token in found}


def sealed(tokenized: Tokenized) -> bytes:
    """The acquirer's ids, as they are stored."""
    return seal(json.dumps({"holder": tokenized.holder, "token": tokenized.token}).encode())


def unsealed(stored: bytes) -> Tokenized:
    return Tokenized(**json.loads(unseal(stored)))


@needed_for("saved cards to remove")
def to_remove(account: ProviderAccount) -> int:
    """How many cards the account's acquirer is still asked to remove."""
    return AcquirerToken.objects.filter(account=account, ask_at__isnull=False).count()
