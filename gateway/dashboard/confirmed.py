"""Carries a confirmed form out once. The form's id is its idempotency key with the guarantees of contract §2.7: a
double click has one effect, and the second response shows the result of the first.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from accounts.base.errors import Refusal
from gateway.dashboard.context import RequestContext
from gateway.requests.idempotency import KeyedRequest, fingerprint

R = TypeVar("R")


class NotDone(Exception):
    """A service refused. Nothing is stored, so the same form can be sent again."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.public_code)
        self.refusal = refusal


def attempt(here: RequestContext, given: Mapping[str, Any]) -> KeyedRequest:
    """The attempt to carry a form out; `given` has its values, and its id as `once`."""
    content = {name: str(value) for name, value in given.items()}
    path, request_id = here.request.path, getattr(here.request, "request_id", "")
    return KeyedRequest(here.merchant, str(given["once"]), fingerprint("FORM", path, content), "FORM", path, request_id)


def rolled_back_if_refused(act: Callable[[], R]) -> R:
    """For a backend's key a refusal is the stored response; a person corrects the form and retries."""
    try:
        return act()
    except Refusal as refusal:
        raise NotDone(refusal) from None
