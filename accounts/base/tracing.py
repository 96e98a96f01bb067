"""What is done for one request: its RequestId in log lines, and its trace in OpenTelemetry.

Workers and the dispatcher go on with the RequestId that is stored in the row. The id of the trace is that of the
request, so nothing else has to be handed over.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import structlog

from accounts.base.ids import number

Facts = Mapping[str, str | int | None]


class Told(Protocol):
    """What is known of a part of the work only when it is done."""

    def __call__(self, facts: Facts, *, name: str = "", failed: bool = False) -> None: ...


def request_id() -> str:
    """The request that is being served or continued; empty if there is none."""
    found: str = structlog.contextvars.get_contextvars().get("request_id", "")
    return found


def follow(request: str) -> None:
    """From here on work is done for this request; nothing changes if it is empty."""
    if request:
        structlog.contextvars.bind_contextvars(request_id=request)


@contextmanager
def following(request: str = "") -> Iterator[None]:
    """The work inside is for this request, or for the one that it names itself by `follow`."""
    before = request_id()
    follow(request)
    try:
        yield
    finally:
        if before:
            follow(before)
        else:
            structlog.contextvars.unbind_contextvars("request_id")


_spans: Any = None


def trace_by(spans: Any) -> None:
    """Spans are made by this object, whose `span` has the parameters of the one below. None: there are no traces."""
    global _spans
    _spans = spans


def is_on() -> bool:
    """Whether there are traces."""
    return _spans is not None


@contextmanager
def span(name: str, facts: Facts | None = None, kind: str = "internal") -> Iterator[Told]:
    """A part of the work as a span of the request's trace, if traces are switched on.

    `kind`: internal, server or client. No fact names a person, a secret or a card.
    """
    if _spans is None:
        yield _nobody_asks
        return
    with _spans.span(name, facts or {}, kind) as told:
        yield told


def _nobody_asks(facts: Facts, *, name: str = "", failed: bool = False) -> None: ...


def trace_id() -> int | None:
    """The 128 bits of the RequestId; None without a request."""
    request = request_id()
    return number(request) if request else None
