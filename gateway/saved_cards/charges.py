"""Whether a saved card is being charged: the room above knows."""

from collections.abc import Callable

from gateway.saved_cards.models import SavedCard

Asked = Callable[[SavedCard], bool]
_asked: list[Asked] = []


def knows_charges(asked: Asked) -> Asked:
    """Has a function say whether the acquirer may still need the card for a payment."""
    _asked.append(asked)
    return asked


def is_being_charged(card: SavedCard) -> bool:
    return any(asked(card) for asked in _asked)
