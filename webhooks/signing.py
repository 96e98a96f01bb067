"""Signatures that prove a webhook is ours: Standard Webhooks, and a plain HMAC of the raw body."""

import base64
import hmac
from collections.abc import Sequence
from secrets import token_bytes

PREFIX = "whsec_"


def new_secret() -> str:
    """A new endpoint secret: `whsec_` and the base64 of 32 random bytes."""
    return PREFIX + base64.b64encode(token_bytes(32)).decode()


def headers(event_id: str, body: bytes, secrets: Sequence[str], at: int) -> dict[str, str]:
    """The four headers that identify and sign one attempt made at `at` (Unix seconds).

    All secrets sign, in the given order: during a rotation the new one comes first.
    """
    if not secrets:
        raise ValueError("A webhook never leaves unsigned.")
    content = f"{event_id}.{at}.".encode() + body
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(at),
        "webhook-signature": " ".join(_of_content(secret, content) for secret in secrets),
        "x-onpay-signature": ",".join(_of_body(secret, body) for secret in secrets),
    }


def _of_content(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    return "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()


def _of_body(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()
