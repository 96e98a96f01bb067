"""Messages of the scripted bank, as it sends them."""

import json
from typing import Any

from django.test import Client

from gateway.providers.models import ProviderAccount
from tests.support.providers import PASSWORD
from tests.support.scripted_provider import SIGNATURE, signature


def about(*ids: str) -> bytes:
    return json.dumps([{"id": one} for one in ids]).encode()


def sent(
    account: ProviderAccount | str,
    body: bytes,
    *,
    path: str = "pix",
    password: str = PASSWORD,
    peer: str = "203.0.113.5",
    **headers: str,
) -> int:
    """The status of the answer to a message signed with the password."""
    address = account if isinstance(account, str) else account.pk
    given: dict[str, Any] = {SIGNATURE: signature(password, body)} | headers
    where = f"/callbacks/{address}" + (f"/{path}" if path else "")
    browser = Client(REMOTE_ADDR=peer, enforce_csrf_checks=True)
    return int(browser.post(where, body, content_type="application/json", headers=given).status_code)
