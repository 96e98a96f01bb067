"""Events of Stripe, signed by its documented scheme."""

import hashlib
import hmac
import json
import time
from typing import Any

from django.test import Client

from gateway.providers import due
from gateway.providers.models import ProviderAccount
from gateway.providers.provider import Message
from tests.support.stripe.stand_in import SIGNING_SECRET


def event(kind: str, subject: dict[str, Any], *, live: bool = True) -> bytes:
    told = {"id": "evt_1", "object": "event", "type": kind, "livemode": live, "data": {"object": subject}}
    return json.dumps(told).encode()


def signed(body: bytes, *, secret: str = SIGNING_SECRET, ago_s: int = 0) -> str:
    at = int(time.time()) - ago_s
    mac = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={mac}"


def message(body: bytes, **how: Any) -> Message:
    return Message("", {"stripe-signature": signed(body, **how)}, body)


def delivered(account: ProviderAccount, body: bytes, signature: str | None = None) -> int:
    """Stripe sends it, and it is read. The status of the answer."""
    headers = {"stripe-signature": signed(body) if signature is None else signature}
    client = Client(enforce_csrf_checks=True)
    answer = client.post(f"/callbacks/{account.pk}", body, content_type="application/json", headers=headers)
    due.run_due(100)
    return int(answer.status_code)
