"""The vault: exchanges a card number for a token; the number itself is not stored."""

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
"""Cards per payment. More indicate somebody testing numbers."""


def tokenize(payment_id: str, *, number: Secret, month: int, year: int, cvc: Secret, now: datetime) -> tuple[str, Card]:
    """A single-use token for a card, bound to a payment, and the displayable part. `now` by the merchant's clock.

    Raises CardError for an impossible number, date or CVC, and TooManyCards.
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
    return Card(kept.brand, kept.last4, Funding(kept.funding), Plays(kept.plays))


def forget_old() -> int:
    """Deletes card data after a day; returns the number of rows."""
    return CardToken.objects.filter(created_at__lt=utcnow() - timedelta(days=1)).delete()[0]


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
