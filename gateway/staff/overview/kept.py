"""Reads over all companies: none of them may hold the page up, and none is repeated for everybody who looks."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TypeVar

from django.core.cache import cache
from django.db import connection, transaction
from redis import RedisError

T = TypeVar("T")

LONGEST_MS = 8000
CHEAP_S = 0.05
KEPT_TIMES = 100
"""What took so long that it is kept is kept for so many times as long: looking costs one per cent of a database."""
KEPT_AT_MOST_S = 600


def kept(name: str, read: Callable[[], T], longest_ms: int = LONGEST_MS) -> T:
    """What `read` gives, or gave to somebody a moment ago where it takes its time.

    Raises OperationalError where a statement takes longer than that.
    """
    key = f"staff:{connection.settings_dict['NAME']}:{name}"
    found: T | None = None
    with suppress(RedisError):
        found = cache.get(key)
    if found is not None:
        return found
    begun = monotonic()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {longest_ms}")
        fresh = read()
    took = monotonic() - begun
    if took > CHEAP_S:
        with suppress(RedisError):
            cache.set(key, fresh, timeout=min(took * KEPT_TIMES, KEPT_AT_MOST_S))
    return fresh
