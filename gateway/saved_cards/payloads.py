"""The JSON of a saved card, for responses and events alike (contract §6.4)."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from accounts.base.wire import Timestamp, optional_timestamp, timestamp
from gateway.saved_cards import links
from gateway.saved_cards.models import SavedCard


class SavedCardPayload(TypedDict):
    """A saved card. `id` is the `paymentMethodToken`; whoever has `removalUrl` can remove the card."""

    id: str
    customerId: str
    type: Literal["CARD"]
    status: Literal["ACTIVE", "REMOVED"]
    brand: str
    last4: str
    funding: str
    expMonth: int | None
    expYear: int | None
    removalUrl: NotRequired[str]
    createdAt: Timestamp
    removedAt: Timestamp | None


class RemovedPayload(TypedDict):
    """What was removed."""

    id: str
    deleted: Literal[True]


def removable(card: SavedCard) -> SavedCardPayload:
    """The saved card with the link for the payer, for whoever may remove it. Its merchant must be loaded."""
    return {**saved_card(card), "removalUrl": links.removal_page(card)}


def saved_card(card: SavedCard) -> SavedCardPayload:
    """The saved card for events, and for whoever may only read it."""
    return {
        "id": card.id,
        "customerId": card.customer_id,
        "type": "CARD",
        "status": "ACTIVE" if card.removed_at is None else "REMOVED",
        "brand": card.brand,
        "last4": card.last4,
        "funding": card.funding,
        "expMonth": card.exp_month,
        "expYear": card.exp_year,
        "createdAt": timestamp(card.created_at),
        "removedAt": optional_timestamp(card.removed_at),
    }


def removed(card: SavedCard) -> RemovedPayload:
    return {"id": card.id, "deleted": True}
