"""Cards in Adyen's vault (docs.adyen.com/online-payments/tokenization). Our id of the customer is the shopper."""

import re
from collections.abc import Mapping
from typing import Any

from gateway.methods.card.cards import CardFacts, Tokenized
from gateway.methods.rail import PaymentOrder
from gateway.providers.adyen.shapes import Stored

TOKEN = ("tokenization.storedPaymentMethodId", "recurring.recurringDetailReference")
HOLDER = ("tokenization.shopperReference", "recurring.shopperReference")
_ID = re.compile(r"[A-Za-z0-9]{1,64}")
_EXPIRY = re.compile(r"(\d{1,2})/(20\d{2})")


def saving(order: PaymentOrder) -> dict[str, Any]:
    """The members of a request whose card is to be saved."""
    if not order.saves_card:
        return {}
    return {
        "storePaymentMethod": True,
        "recurringProcessingModel": "CardOnFile",
        "shopperReference": order.customer_id,
    }


def charging(card: Tokenized, *, payer_is_present: bool) -> dict[str, Any]:
    """The members of a request that charges a saved card."""
    return {
        "paymentMethod": {"type": "scheme", "storedPaymentMethodId": card.token},
        "shopperReference": card.holder,
        "shopperInteraction": "ContAuth",
        "recurringProcessingModel": "CardOnFile" if payer_is_present else "UnscheduledCardOnFile",
    }


def tokenized(order: PaymentOrder, told: Mapping[str, Any]) -> Tokenized | None:
    """The card of an order that saves or charges one, from Adyen's additional data."""
    if not (order.saves_card or order.tokenized):
        return None
    known = order.tokenized
    token = _first(told, TOKEN) or (known.token if known else "")
    holder = _first(told, HOLDER) or order.customer_id
    if not _ID.fullmatch(token) or holder != order.customer_id:
        return None
    expiry = _EXPIRY.fullmatch(str(told.get("expiryDate") or ""))
    month, year = (int(expiry[1]), int(expiry[2])) if expiry and 1 <= int(expiry[1]) <= 12 else (None, None)
    return Tokenized(holder, token, month, year, str(told.get("networkToken.available")).lower() == "true")


def _first(told: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((str(told[name]) for name in names if told.get(name)), "")


def facts_of(stored: Stored) -> CardFacts:
    """What the vault knows of a card."""
    if not (stored.month.isdecimal() and stored.year.isdecimal() and 1 <= int(stored.month) <= 12):
        return CardFacts(stored.last4[-4:], None, None)
    return CardFacts(stored.last4[-4:], int(stored.month), 2000 + int(stored.year) % 100)
