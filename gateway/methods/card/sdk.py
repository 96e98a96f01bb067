"""The published script of the card fields: its version and its integrity."""

import hashlib
from base64 import b64encode
from functools import cache

from django.conf import settings

VERSION = "2.0.1"


@cache
def source() -> bytes:
    return (settings.BASE_DIR / "static" / "sdk" / "onpay-card.js").read_bytes()


def integrity() -> str:
    """The SRI hash of the script, for `<script integrity>` with the versioned URL."""
    return f"sha384-{b64encode(hashlib.sha384(source()).digest()).decode()}"
