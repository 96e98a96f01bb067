"""Links for ids."""

from django.urls import NoReverseMatch

from accounts.roles import May
from gateway.dashboard.context import RequestContext

PAGES = {
    "pay": ("payment", May.READ_PAYMENTS),
    "plk": ("payment_link", May.READ_PAYMENTS),
    "ref": ("refund", May.READ_PAYMENTS),
    "cus": ("customer", May.READ_PAYMENTS),
    "wdr": ("withdrawal", May.READ_MONEY),
    "bulk": ("bulk_file", May.MOVE_MONEY),
    "cnv": ("conversion", May.READ_MONEY),
    "adv": ("advance", May.READ_MONEY),
    "whk": ("webhook", May.READ_TECHNICAL),
    "evt": ("event", May.READ_TECHNICAL),
    "chk": ("readiness_check", May.SIMULATE),
    "req": ("request", May.READ_TECHNICAL),
}
"""The page of each prefix, and its permission."""


def address_of(here: RequestContext, object_id: str) -> str | None:
    """The page of an object by its id prefix; None if there is none, or without permission."""
    name, needs = PAGES.get(object_id.split("_", maxsplit=1)[0], ("", None))
    try:
        return here.to(name, object_id) if name and needs and here.may(needs) else None
    except NoReverseMatch:
        return None
