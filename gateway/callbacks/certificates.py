"""The client certificate of a request, which ended at the proxy."""

import re
from urllib.parse import unquote

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_pem_x509_certificate
from django.conf import settings
from django.http import HttpRequest

from accounts.base.client_address import is_proxy

_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def names_of_certificates() -> tuple[str, ...]:
    """Headers in which proxies tell of certificates; no message has them."""
    return (settings.CLIENT_CERTIFICATE_HEADER.lower(),)


def certificate_of(request: HttpRequest) -> str | None:
    """The SHA-256 fingerprint in lower-case hex; None without a certificate.

    Only a peer in `ONPAY_TRUSTED_PROXIES` is believed. It sends the fingerprint, or the certificate as URL-encoded PEM.
    """
    if not is_proxy(request.META.get("REMOTE_ADDR", "")):
        return None
    sent = request.headers.get(settings.CLIENT_CERTIFICATE_HEADER, "")
    plain = sent.replace(":", "").lower()
    if _FINGERPRINT.fullmatch(plain):
        return plain
    try:
        return load_pem_x509_certificate(unquote(sent).encode()).fingerprint(SHA256()).hex()
    except ValueError:
        return None
