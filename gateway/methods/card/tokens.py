"""Single-use tokens of cards entered in the sandbox. Nothing here has seen a number."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction

from accounts.base.clock import utcnow
from gateway.methods.card.cards import Card, Funding, Plays
from gateway.methods.card.models import CardToken

VALID = timedelta(minutes=10)
MOST_CARDS = 20
"""Cards per payment. More indicate somebody testing numbers."""


class CardTokenInvalid(Exception):
    """A card token that was not issued for this payment, was used, or has expired."""


class TooManyCards(Exception):
    """More cards were entered in one session than a person would try."""


def issue(payment_id: str, card: Card) -> str:
    """A new token for an entered card. Raises TooManyCards."""
    if CardToken.objects.filter(payment_id=payment_id).count() >= MOST_CARDS:
        raise TooManyCards
    token = f"cat_{secrets.token_urlsafe(24)}"
    CardToken.objects.create(
        digest=_digest(token),
        payment_id=payment_id,
        brand=card.brand,
        last4=card.last4,
        funding=card.funding,
        plays=card.plays,
        exp_month=card.exp_month,
        exp_year=card.exp_year,
        created_at=utcnow(),
    )
    return token


@transaction.atomic(savepoint=False)
def use(payment_id: str, token: str) -> Card:
    """Redeems a token once. Raises CardTokenInvalid. If the caller's transaction is rolled back it can be used
    again.
    """
    now = utcnow()
    fresh = CardToken.objects.filter(
        digest=_digest(token), payment_id=payment_id, used_at=None, created_at__gt=now - VALID
    )
    kept = fresh.select_for_update().first()
    if kept is None or not fresh.update(used_at=now):
        raise CardTokenInvalid
    return Card(kept.brand, kept.last4, Funding(kept.funding), Plays(kept.plays), kept.exp_month, kept.exp_year)


def forget_old() -> int:
    """Deletes card data after a day; returns the number of rows."""
    return CardToken.objects.filter(created_at__lt=utcnow() - timedelta(days=1)).delete()[0]


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
