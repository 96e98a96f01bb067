"""Types of members of credentials that several institutions need; certificates have a module of their own."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from gateway.providers.certificates import Certificate

_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def _address(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname and parts.port != 0  # a port of another form is a ValueError as well
    if parts.scheme != "https" or not host or parts.username is not None or re.search(r"[?#{}\s]", url):
        raise ValueError("This must be an https:// address without user, query and fragment.")
    return url.rstrip("/")


def _fingerprints(text: str) -> str:
    found = text.replace(":", "").lower().split()
    if not all(map(_FINGERPRINT.fullmatch, found)):
        raise ValueError("This must be SHA-256 fingerprints: 64 hexadecimal digits each, separated by spaces.")
    return " ".join(found)


Address = Annotated[str, AfterValidator(_address)]
"""Where an API begins: https only, without a slash at its end."""
Fingerprints = Annotated[str, AfterValidator(_fingerprints)]
"""SHA-256 fingerprints of certificates in lower-case hex, separated by spaces; empty for none."""
OtherAddress = Annotated[Address | None, Field(title="Another address of the API", description="Usually empty")]
"""In place of an institution's published address."""
OtherAuthorities = Annotated[
    Certificate | None, Field(title="CA certificates of that address", description="Usually empty")
]
