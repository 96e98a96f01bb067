"""The vault: a number goes in, a token comes out, and the number is nowhere any more."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction

from accounts.base.clock import utcnow
from gateway.vault import cards
from gateway.vault.cards import Card, Funding, Plays, Secret
from gateway.vault.errors import CardError, CardTokenInvalid, TooManyCards
from gateway.vault.models import CardToken
from gateway.vault.numbers import brand_of

VALID = timedelta(minutes=10)
MOST_CARDS = 20
"""Cards typed for one payment. More is somebody who tries numbers out."""


def tokenize(payment_id: str, *, number: Secret, month: int, year: int, cvc: Secret, now: datetime) -> tuple[str, Card]:
    """A single-use token for a card, bound to a payment, and what may be shown of it. `now` by the merchant's clock.

    Raises CardError for a number, a date or a CVC that cannot be, and TooManyCards.
    """
    digits = number.reveal()
    if not cards.is_number(digits):
        raise CardError("INVALID_NUMBER", "cardNumber", "The card number is not valid.")
    if not 1 <= month <= 12 or cards.is_expired(year, month, now.date()) or year > now.year + 50:
        raise CardError("INVALID_EXPIRY", "cardExpiry", "The expiry date is not valid or has passed.")
    if not cards.is_cvc(cvc.reveal(), brand_of(digits)):
        raise CardError("INVALID_CVC", "cardCvc", "The security code is not valid.")
    if CardToken.objects.filter(payment_id=payment_id).count() >= MOST_CARDS:
        raise TooManyCards
    card = cards.recognized(number, cvc)
    token = f"cat_{secrets.token_urlsafe(24)}"
    CardToken.objects.create(
        digest=_digest(token),
        payment_id=payment_id,
        brand=card.brand,
        last4=card.last4,
        funding=card.funding,
        plays=card.plays,
        created_at=utcnow(),
    )
    return token, card


@transaction.atomic(savepoint=False)
def use(payment_id: str, token: str) -> Card:
    """The card of a token, once. Raises CardTokenInvalid. Rolled back with its caller, it can be used again."""
    now = utcnow()
    fresh = CardToken.objects.filter(
        digest=_digest(token), payment_id=payment_id, used_at=None, created_at__gt=now - VALID
    )
    kept = fresh.select_for_update().first()
    if kept is None or not fresh.update(used_at=now):
        raise CardTokenInvalid
    return Card(kept.brand, kept.last4, Funding(kept.funding), Plays(kept.plays))


def forget_old() -> int:
    """Deletes what is left of cards after a day; returns how many."""
    return CardToken.objects.filter(created_at__lt=utcnow() - timedelta(days=1)).delete()[0]


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
