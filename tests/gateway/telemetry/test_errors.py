"""Sentry is told of what somebody must read, as it is redacted in the log, and of nothing else."""

import gzip
import json
import os
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from tests.support.receiver import Receiver

CARD = "4111 1111 1111 1111"
HAPPENS = f"""
import structlog, logging
from accounts.base.tracing import follow
log = structlog.get_logger()
follow("req_01KAGTW3Q8XJ5V0N2B7R4C9DEF")
log.warning("provider.not_listed")
secret_of_a_person = "Maria da Conceicao"
try:
    raise RuntimeError("card {CARD} of a row\\nDETAIL: Maria da Conceicao")
except RuntimeError:
    log.exception("api.failed", payment="pay_1", token="sk_live_1", note="paid by {CARD}")
logging.getLogger("somebody.else").error("lost %s", "{CARD}")
"""


def test_errors_arrive_without_what_the_log_would_not_say(told: Receiver) -> None:
    dsn = urlsplit(told.url)
    env = os.environ | {"SENTRY_DSN": f"http://public@{dsn.netloc}/1", "SENTRY_ENVIRONMENT": "test"}
    subprocess.run([sys.executable, "manage.py", "shell", "-c", HAPPENS], env=env, cwd=settings.BASE_DIR, check=True)

    events = [event for one in told.received for event in in_envelope(one.body)]
    assert [event["logentry"]["formatted"] for event in events] == ["api.failed", "lost [redacted]"]
    failed = events[0]
    assert failed["tags"] == {"request_id": "req_01KAGTW3Q8XJ5V0N2B7R4C9DEF"}
    assert failed["environment"] == "test"
    assert failed["contexts"]["line"] | {"request_id": ""} == {
        "payment": "pay_1",
        "token": "[redacted]",
        "note": "paid by [redacted]",
        "request_id": "",
    }
    [raised] = failed["exception"]["values"]
    assert (raised["type"], raised["value"]) == ("RuntimeError", "card [redacted] of a row")
    assert raised["stacktrace"]["frames"]
    whole = json.dumps(events)
    assert [secret for secret in (CARD, "Conceicao", "sk_live_1") if secret in whole] == []


def in_envelope(body: bytes) -> list[dict[str, Any]]:
    """The events of what the SDK sends: a line of headers, then pairs of an item's header and its content."""
    content = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
    items = [json.loads(line) for line in content.splitlines()[1:] if line.strip()]
    return [item for item in items if "logentry" in item]
