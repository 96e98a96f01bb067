"""Reads over all companies: they are cached, and none may slow the page down."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TypeVar

from django.core.cache import cache
from django.db import connection
from django.utils.translation import get_language
from redis import RedisError

from gateway.database.reading import limited

T = TypeVar("T")

LONGEST_MS = 8000
CHEAP_S = 0.05
KEPT_TIMES = 100
"""The cache time as a multiple of the query time: reading costs at most one per cent of a database."""
KEPT_AT_MOST_S = 600


def kept(name: str, read: Callable[[], T], longest_ms: int = LONGEST_MS) -> T:
    """The result of `read` in the language of the page, cached if it is slow.

    Raises OperationalError for a statement above the limit.
    """
    key = f"staff:{connection.settings_dict['NAME']}:{get_language()}:{name}"
    found: T | None = None
    with suppress(RedisError):
        found = cache.get(key)
    if found is not None:
        return found
    begun = monotonic()
    with limited(longest_ms):
        fresh = read()
    took = monotonic() - begun
    if took > CHEAP_S:
        with suppress(RedisError):
            cache.set(key, fresh, timeout=min(took * KEPT_TIMES, KEPT_AT_MOST_S))
    return fresh
