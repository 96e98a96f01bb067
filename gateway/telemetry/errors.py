"""Log lines of level error and above go to Sentry. The SDK reads SENTRY_DSN, SENTRY_ENVIRONMENT and SENTRY_RELEASE.

It gets the redacted line and the places of the exception in our code, but no local variable, body, header or person.
"""

import sys
from collections.abc import MutableMapping
from typing import Any

import sentry_sdk
from sentry_sdk.integrations.atexit import AtexitIntegration
from sentry_sdk.utils import event_from_exception, exc_info_from_error

from gateway.logs import without_values

REPORTED = frozenset({"error", "critical"})
NO_FACTS = frozenset({"event", "level", "timestamp", "exc_info"})


def start() -> None:
    sentry_sdk.init(
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[AtexitIntegration(callback=lambda pending, timeout: None)],
        include_local_variables=False,
        max_breadcrumbs=0,
        send_default_pii=False,
    )


def report(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A processor of structlog: takes lines that are redacted, and whose exceptions are not yet rendered."""
    if line["level"] in REPORTED:
        sentry_sdk.capture_event(_event(line))  # type: ignore[arg-type]
    return line


def _event(line: MutableMapping[str, Any]) -> dict[str, Any]:
    raised = line.get("exc_info")
    error = sys.exc_info()[1] if raised is True else raised[1] if isinstance(raised, tuple) else raised
    event: dict[str, Any] = {}
    if isinstance(error, BaseException):
        event.update(event_from_exception(exc_info_from_error(error), sentry_sdk.get_client().options)[0])
        for one in event["exception"]["values"]:
            one["value"] = without_values(str(one["value"] or ""))
    facts = {name: value for name, value in line.items() if name not in NO_FACTS}
    return event | {
        "level": "fatal" if line["level"] == "critical" else "error",
        "logentry": {"formatted": str(line["event"])},
        "fingerprint": [str(line["event"]), type(error).__name__],
        "tags": {"request_id": facts["request_id"]} if "request_id" in facts else {},
        "contexts": {"line": facts},
    }
