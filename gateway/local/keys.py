"""The secret key and the encryption key of a state folder, made once."""

import base64
import json
import secrets
from pathlib import Path

from gateway.local import home


def of(place: Path) -> dict[str, str]:
    """The keys of a folder as environment variables. Losing the file means losing what they encrypted."""
    file = place / "secrets.json"
    if not file.exists():
        made = {
            "ONPAY_SECRET_KEY": secrets.token_urlsafe(48),
            "ONPAY_ENCRYPTION_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        }
        home.write(file, made)
    read: dict[str, str] = json.loads(file.read_text())
    return read
