"""Secrets at rest: sealed with the first key of `ONPAY_ENCRYPTION_KEYS`, opened with any of them."""

import hashlib
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


@lru_cache(maxsize=1)
def _ring(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def seal(plain: bytes) -> bytes:
    return _ring(tuple(settings.ENCRYPTION_KEYS)).encrypt(plain)


def unseal(sealed: bytes) -> bytes:
    return _ring(tuple(settings.ENCRYPTION_KEYS)).decrypt(sealed)


def resealed(sealed: bytes) -> bytes:
    """The same secret under the first key. Raises InvalidToken if no key opens it."""
    return _ring(tuple(settings.ENCRYPTION_KEYS)).rotate(sealed)


def fingerprints() -> list[str]:
    """What a report may say of each key, in their order: the beginning of its SHA-256."""
    return [hashlib.sha256(key.encode()).hexdigest()[:8] for key in settings.ENCRYPTION_KEYS]


def key_of(sealed: bytes) -> int | None:
    """The place among the keys of the one that opens it, from 0; None if no key does."""
    for place, key in enumerate(settings.ENCRYPTION_KEYS):
        try:
            Fernet(key).decrypt(sealed)
        except InvalidToken:
            continue
        return place
    return None
