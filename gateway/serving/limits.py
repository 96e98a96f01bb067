"""How large the body of a request may be, known from its method and path before any of it is read."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from django.urls import Resolver404, ResolverMatch, resolve

V = TypeVar("V", bound=Callable[..., Any])

FORM = 1024 * 1024
"""More than any form of the dashboard, of the sign-in pages or of the staff admin has."""
PAYERS = 16 * 1024
"""What payers type, and everything else that anybody may call."""
FILES = 25 * 1024 * 1024
_FORMS = ("/dashboard/", "/accounts/", "/admin/", "/demo/")
API = "/api/"


def takes_files(view: V) -> V:
    """Marks a page that takes uploads."""
    view.largest_body = FILES  # type: ignore[attr-defined]
    return view


@lru_cache(maxsize=4096)
def match_of(path: str) -> ResolverMatch:
    """Which view serves a path; raises Resolver404."""
    return resolve(path)


def largest_body(method: str, path: str) -> int | None:
    """The most bytes that a request may bring; None where nothing is served that could read them."""
    try:
        view = match_of(path).func
    except Resolver404:
        return None
    if path.startswith(API):
        operation = getattr(getattr(getattr(view, "cls", None), method.lower(), None), "operation", None)
        return getattr(operation, "largest_body", None)
    return getattr(view, "largest_body", FORM if path.startswith(_FORMS) else PAYERS)
