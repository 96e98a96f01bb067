"""Structured logs: one JSON object per line, with the RequestId, and without secrets."""

import logging
import sys
from collections.abc import Iterable, MutableMapping, Sequence
from typing import Any

import orjson
import structlog

from accounts.base.card_numbers import without_cards
from accounts.base.counters import LOG_LINES

REMOVED = "[redacted]"
COUNTED = frozenset({"warning", "error", "critical"})
SECRET = frozenset(
    [
        "x-api-key",
        "api_key",
        "authorization",
        "cookie",
        "set-cookie",
        "password",
        "secret",
        "signing_secret",
        "client_secret",
        "clientsecret",
        "session_token",
        "token",
        "idempotency-key",
        "pan",
        "cvv",
        "cvc",
        "card_number",
        "body",
    ]
)


def count(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Counts the lines that somebody should read."""
    if event["level"] in COUNTED:
        LOG_LINES.labels(event["level"]).inc()
    return event


def redact(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replaces values of members with secret names, and in every text card numbers and what is in a row."""
    for name, value in event.items():
        if name.lower() in SECRET:
            event[name] = REMOVED
        elif isinstance(value, str):
            event[name] = without_values(value)
    return event


def redact_exceptions(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """What exceptions say is redacted after they were rendered, as other texts are."""
    _redact_rendered(event.get("exception") or ())
    return event


def _redact_rendered(exceptions: Iterable[dict[str, Any]]) -> None:
    for one in exceptions:
        one["exc_value"] = without_values(one["exc_value"])
        one["exc_notes"] = [without_values(note) for note in one.get("exc_notes", ())]
        for inner in one.get("exceptions", ()):
            _redact_rendered(inner)


def without_values(message: str) -> str:
    """A message without the row that violated a constraint, which PostgreSQL quotes, and without card numbers."""
    return without_cards(message.partition("\nDETAIL:")[0], REMOVED)


def configure(level: str, *, also: Sequence[Any] = ()) -> None:
    """Sends our log lines and those of libraries to standard error, in one format, without local variables.

    Our lines are written directly; those of libraries come through `logging`. Each processor in `also` gets every line,
    redacted.
    """
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        count,
        redact,
        *also,
    ]
    rendered: list[Any] = [
        structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False)),
        redact_exceptions,
        structlog.processors.JSONRenderer(serializer=_dumps),
    ]
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*shared, *rendered],
        logger_factory=structlog.WriteLoggerFactory(_StandardError()),  # type: ignore[arg-type]
        wrapper_class=structlog.make_filtering_bound_logger(number),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendered],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(number)
    logging.getLogger("django.request").setLevel("CRITICAL")  # our own request log line has it
    logging.getLogger("django.security").setLevel("ERROR")
    # They log headers and bodies; provider.answered has what is needed.
    for library in ("httpx", "httpcore", "stripe"):
        logging.getLogger(library).setLevel("WARNING")


class _StandardError:
    """Writes whole lines to the current standard error."""

    def write(self, line: str) -> None:
        sys.stderr.write(line)

    def flush(self) -> None:
        sys.stderr.flush()


def _dumps(event: dict[str, Any], **options: Any) -> str:
    return orjson.dumps(event, default=repr).decode()
