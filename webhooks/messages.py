"""The exact headers and body of an attempt, also of one that is disturbed on purpose."""

import base64
import hashlib
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from accounts.base.wire import dumps, loads
from webhooks import signing
from webhooks.disturbances import Disturbance

OLD_BY_S = 600
TYPE_OF_TOMORROW, VALUE_OF_TOMORROW = "payment.insight_ready", "WALLET_QR"
NEW_ID = (Disturbance.FORGED, Disturbance.UNKNOWN_TYPE, Disturbance.UNKNOWN_VALUES)
"""An event of their own: its id is not one that the receiver knows."""


@dataclass(frozen=True, slots=True)
class Message:
    """One attempt as sent. `signed` are the bytes under `webhook-signature`; `x-onpay-signature` signs the body."""

    headers: dict[str, str]
    body: bytes = field(repr=False)
    signed: bytes = field(repr=False)


def message(
    delivery_id: str,
    attempt: int,
    event_id: str,
    event_type: str,
    body: bytes,
    secrets: list[str],
    at: int,
    disturbance: str | None = None,
) -> Message:
    """The request of an attempt made at `at` (Unix seconds), signed with these secrets."""
    if disturbance:
        event_id, event_type, body = _told(event_id, event_type, body, delivery_id, disturbance)
        secrets, at = _signed_with(secrets, delivery_id, disturbance), at - OLD_BY_S * (disturbance == Disturbance.OLD)
    headers = signing.headers(event_id, body, secrets, at) | {
        "x-onpay-event": event_type,
        "x-onpay-delivery": delivery_id,
        "x-onpay-attempt": str(attempt),
    }
    signed = f"{event_id}.{at}.".encode() + body
    return Message(headers, _tampered(body) if disturbance == Disturbance.TAMPERED else body, signed)


def _told(event_id: str, event_type: str, body: bytes, delivery_id: str, disturbance: str) -> tuple[str, str, bytes]:
    """Id, type and body before they are signed."""
    if disturbance not in NEW_ID:
        return event_id, event_type, body
    content = loads(body)
    content["id"] = event_id = f"evt_{event_id[4:14]}{_digest(delivery_id).hex()[:16].upper()}"
    if disturbance == Disturbance.FORGED:
        _call_paid(content)
    elif disturbance == Disturbance.UNKNOWN_TYPE:
        content["type"] = TYPE_OF_TOMORROW
    else:
        _add_what_is_new(content)
    return event_id, content["type"], dumps(content)


def _call_paid(content: dict[str, Any]) -> None:
    data = content["data"]
    if content["type"].startswith("payment."):
        content["type"] = "payment.paid"
        data |= {"status": "PAID", "paidAt": data.get("paidAt") or content["timestamp"]}


def _add_what_is_new(content: dict[str, Any]) -> None:
    content["revision"] = 1
    content["data"]["insights"] = {"score": 12, "labels": ["RETURNING"]}
    if "method" in content["data"]:
        content["data"]["method"] = VALUE_OF_TOMORROW


def _tampered(body: bytes) -> bytes:
    """The payment is called paid, and more was paid."""
    content = loads(body)
    _call_paid(content)
    content["sequence"] += 1
    if isinstance(amount := content["data"].get("amount"), int | Decimal):
        content["data"]["amount"] = amount * 10
    return dumps(content)


def _signed_with(secrets: list[str], delivery_id: str, disturbance: str) -> list[str]:
    another = signing.PREFIX + base64.b64encode(_digest(delivery_id)).decode()
    known = {Disturbance.FORGED: [another], Disturbance.TWO_SECRETS: [another, *secrets]}
    return known.get(Disturbance(disturbance), secrets)


def _digest(delivery_id: str) -> bytes:
    """Another one for each delivery, and the same whenever its bytes are shown."""
    return hashlib.sha256(b"of somebody else: " + delivery_id.encode()).digest()
