"""Deliveries: verified, and read as typed events.

    event = onpay.webhooks.verify(request.body, request.headers, secret)
    if isinstance(event.data, onpay.Payment) and event.data.paid_at and event.data.status != "REFUNDED":
        release_once(event.data.reference)

Deliveries repeat and change places: `release_once` does nothing the second time.
"""

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Union, get_args

from onpay._generated.names import DATA_OF, EventData, EventType
from onpay._model import Model
from onpay._transport import parsed
from onpay.errors import SignatureError

TOLERANCE_S = 300
SHORTEST_KEY = 16
KNOWN = frozenset(get_args(EventType))
Secrets = Union[str, Sequence[str]]


class WebhookEvent(Model):
    """What happened, and the object as its GET showed it then. `data` is a dict where the type is newer than this."""

    id: str
    type: Union[EventType, str]
    timestamp: datetime
    api_version: str
    environment: str
    company_id: str
    sequence: int
    data: Union[EventData, dict[str, Any]]


def verify(
    body: bytes, headers: Mapping[str, Any], secrets: Secrets, *, tolerance: float = TOLERANCE_S
) -> WebhookEvent:
    """The event of a delivery, from its raw body and headers. Several secrets: any of them may have signed.

    Raises SignatureError if it was not signed with one of them, was changed, or is older than `tolerance` seconds.
    """
    given = {name.lower(): _first(value) for name, value in headers.items()}
    try:
        name, at, signatures = (given[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise SignatureError(f"the header {missing.args[0]} is missing") from None
    if not re.fullmatch("[0-9]{1,12}", at) or abs(time.time() - int(at)) > tolerance:
        raise SignatureError("the delivery is too old, or from the future")
    signed = f"{name}.{at}.".encode(errors="replace") + body
    ours = [_signature(secret, signed) for secret in _several(secrets)]
    _compare(ours, signatures.split(" "))
    return parse(body)


def verify_body(body: bytes, signature: str, secrets: Secrets) -> WebhookEvent:
    """The event of a delivery by `x-onpay-signature` alone. It does not say when: deduplicate by the event's `id`."""
    ours = ["sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest() for secret in _several(secrets)]
    _compare(ours, [one.strip() for one in signature.split(",")])
    return parse(body)


def parse(body: bytes) -> WebhookEvent:
    """The event of a body that was verified elsewhere."""
    content = parsed(body)
    if not isinstance(content, dict) or not isinstance(content.get("type"), str):
        raise SignatureError("the body is no event")
    model = DATA_OF.get(content["type"].partition(".")[0]) if content["type"] in KNOWN else None
    data = content.get("data")
    typed = model.read(data) if model and isinstance(data, dict) else data
    return WebhookEvent.read({**content, "data": typed})


def sign(body: bytes, secret: str, event_id: str = "evt_test") -> dict[str, str]:
    """The headers of a delivery that is sent now, for the tests of a receiver."""
    at = str(int(time.time()))
    return {
        "webhook-id": event_id,
        "webhook-timestamp": at,
        "webhook-signature": _signature(secret, f"{event_id}.{at}.".encode() + body),
        "x-onpay-signature": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
    }


def _signature(secret: str, signed: bytes) -> str:
    return "v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest()).decode()


def _key(secret: str) -> bytes:
    """A secret that is missing or cut short is refused: others could sign with it."""
    try:
        key = base64.b64decode(secret[len("whsec_") :], validate=True)
    except ValueError:
        key = b""
    if not secret.startswith("whsec_") or len(key) < SHORTEST_KEY:
        raise ValueError("a secret is whsec_ and its base64, as the endpoint's creation gave it")
    return key


def _several(secrets: Secrets) -> list[str]:
    found = [secrets] if isinstance(secrets, str) else list(secrets)
    if not found or not all(_key(one) for one in found):
        raise ValueError("no secret")
    return found


def _compare(ours: list[str], theirs: list[str]) -> None:
    """Every pair, in a time that does not tell which one differs where."""
    matches = [hmac.compare_digest(one.encode(), other.encode(errors="replace")) for one in ours for other in theirs]
    if not any(matches):
        raise SignatureError("the delivery was not signed with this secret")


def _first(value: Any) -> str:
    """Of a header that a framework gives as a list or as bytes."""
    one = next(iter(value), "") if isinstance(value, (list, tuple)) else value
    return one.decode("latin-1") if isinstance(one, bytes) else str(one)
