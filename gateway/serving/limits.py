"""The maximum body size of a request by method and path, known before it is read."""

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from django.urls import Resolver404, ResolverMatch, resolve

V = TypeVar("V", bound=Callable[..., Any])

PROBES = 1
"""Threads of a process that answer probes."""
FORM = 1024 * 1024
"""More than any form of the dashboard, the sign-in pages or the staff admin needs."""
PAYERS = 16 * 1024
"""Public pages and payers' input."""
CALLBACKS = 1024 * 1024
"""Messages of institutions."""
FILES = 25 * 1024 * 1024
_FORMS = ("/dashboard/", "/accounts/", "/admin/", "/demo/")
API = "/api/"


def web_processes() -> int:
    return int(os.environ.get("ONPAY_WEB_WORKERS", "2"))


def web_threads() -> int:
    """Threads of a process that run Django."""
    return int(os.environ.get("ONPAY_WEB_THREADS", "4"))


def takes_files(view: V) -> V:
    """Marks a page that accepts uploads."""
    view.largest_body = FILES  # type: ignore[attr-defined]
    return view


@lru_cache(maxsize=4096)
def match_of(path: str) -> ResolverMatch:
    """The view of a path; raises Resolver404."""
    return resolve(path)


def largest_body(method: str, path: str) -> int | None:
    """The maximum body in bytes; None if no view would read it."""
    try:
        view = match_of(path).func
    except Resolver404:
        return None
    if path.startswith(API):
        operation = getattr(getattr(getattr(view, "cls", None), method.lower(), None), "operation", None)
        return getattr(operation, "largest_body", None)
    return getattr(view, "largest_body", FORM if path.startswith(_FORMS) else PAYERS)
