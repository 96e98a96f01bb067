"""What is seen of an institution while it is called: whether it answers at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

TURNED_AWAY = (401, 429)
"""Statuses of an institution that takes no requests of ours, whatever they say. 403 may be about one request."""
SERVED = ""


@dataclass(slots=True)
class Observation:
    """Why the last call was not served; SERVED if it was, whatever the answer says; None if nothing can be said."""

    failure: str | None = None


_CURRENT: ContextVar[Observation | None] = ContextVar("observation", default=None)


@contextmanager
def observing() -> Iterator[Observation]:
    """Collects what the HTTP client sees inside the block."""
    seen = Observation()
    token = _CURRENT.set(seen)
    try:
        yield seen
    finally:
        _CURRENT.reset(token)


def saw(failure: str | None) -> None:
    """Notes the end of a call. The last one counts: an access token may be renewed in between."""
    if seen := _CURRENT.get():
        seen.failure = failure
