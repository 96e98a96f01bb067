"""What can go wrong with deliveries on purpose, in the sandbox. Read this table first."""

from typing import Literal

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Disturbance(TextChoices):
    DUPLICATE = "DUPLICATE", _("The same event is delivered twice, at the same time")
    LOST = "LOST", _("payment.paid is not sent before the run ends")
    REORDER = "REORDER", _("An event waits until later events of the same object have arrived, up to 20 seconds")
    DELAY = "DELAY", _("An event is sent 2 to 20 seconds late")
    FORGED = "FORGED", _("An additional event calls the payment paid, and is signed with another secret: refuse it")
    TAMPERED = "TAMPERED", _("The body was changed after it was signed: refuse it")
    OLD = "OLD", _("Signed correctly, but the timestamp is 10 minutes old: refuse it")
    TWO_SECRETS = "TWO_SECRETS", _("The first signature is of another secret, the second is yours: accept it")
    UNKNOWN_TYPE = "UNKNOWN_TYPE", _("An event type that does not exist today: accept it, then ignore it")
    UNKNOWN_VALUES = "UNKNOWN_VALUES", _("Members and values that do not exist today: accept them")


DisturbanceName = Literal[
    "DUPLICATE",
    "LOST",
    "REORDER",
    "DELAY",
    "FORGED",
    "TAMPERED",
    "OLD",
    "TWO_SECRETS",
    "UNKNOWN_TYPE",
    "UNKNOWN_VALUES",
]
WAYS = (Disturbance.DUPLICATE, Disturbance.LOST, Disturbance.REORDER, Disturbance.DELAY)
"""How an event itself is sent. A duplicate is one delivery more; the others hold the delivery back."""
HELD = (Disturbance.LOST, Disturbance.REORDER, Disturbance.DELAY)
UNTRUE = (Disturbance.FORGED, Disturbance.TAMPERED, Disturbance.OLD)
"""Additional deliveries that a correct receiver refuses."""
STRANGE = (Disturbance.UNKNOWN_VALUES, Disturbance.TWO_SECRETS, Disturbance.UNKNOWN_TYPE)
"""Additional deliveries that a correct receiver accepts."""
EXTRA = (Disturbance.DUPLICATE, *UNTRUE, *STRANGE)
"""Additional deliveries: attempted once, and no part of the health of their endpoint."""


def is_genuine(row: str) -> str:
    """The SQL condition under which a delivery, named so in the statement, is none of the additional ones."""
    return f"coalesce({row}.disturbance NOT IN {tuple(map(str, EXTRA))}, true)"
