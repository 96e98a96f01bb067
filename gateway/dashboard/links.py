"""Links for ids."""

from django.urls import NoReverseMatch

from gateway.dashboard.context import RequestContext
from gateway.dashboard.search import PAGES


def address_of(here: RequestContext, object_id: str) -> str | None:
    """The page of an object by its id prefix; None if there is none, or without permission."""
    name, needs = PAGES.get(object_id.split("_", maxsplit=1)[0], ("", None))
    try:
        return here.to(name, object_id) if name and needs and here.may(needs) else None
    except NoReverseMatch:
        return None
