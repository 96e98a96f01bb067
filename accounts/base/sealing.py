"""Secrets at rest: sealed with the first key of `ONPAY_ENCRYPTION_KEYS`, opened with any of them."""

from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


@lru_cache(maxsize=1)
def _ring(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def seal(plain: bytes) -> bytes:
    return _ring(tuple(settings.ENCRYPTION_KEYS)).encrypt(plain)


def unseal(sealed: bytes) -> bytes:
    return _ring(tuple(settings.ENCRYPTION_KEYS)).decrypt(sealed)
