"""Signed links with which payers remove their saved cards."""

from django.core.signing import BadSignature, Signer

from accounts.environments import base_url
from gateway.saved_cards.models import SavedCard

_PURPOSE = "remove-saved-card"


def removal_page(card: SavedCard) -> str:
    """The page on which the payer removes the card. The id alone does not open it."""
    return f"{base_url(card.merchant.environment)}/saved-cards/{Signer(salt=_PURPOSE).sign(card.pk)}"


def of_removal_page(token: str) -> str | None:
    """The id of the saved card whose page the token opens, or None."""
    try:
        return Signer(salt=_PURPOSE).unsign(token)
    except BadSignature:
        return None
