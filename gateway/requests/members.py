"""Which members of a request differ from those of an earlier one, of which no value is kept.

A digest is keyed, so that whoever reads the table cannot try values out.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings

MOST = 40
_NAME = re.compile(r"(?!.*\d{4})[A-Za-z][A-Za-z0-9]{0,39}")
"""No name of the contract has a number in it; one of somebody else may be that of a card."""
_BYTES = 6

Canonical = Callable[[Any], bytes]
"""How the content of a request is written where it is compared."""


def digests(content: Mapping[str, Any], canonical: Canonical) -> dict[str, str]:
    """By name, those of objects as `payer.taxId`. Names that no contract has, and more than forty, are left out."""
    return _digests(content, canonical, settings.ENCRYPTION_KEYS[0])


def differing(content: Mapping[str, Any], kept: Mapping[str, str], canonical: Canonical) -> list[str]:
    """The names of the members that were added, left out or changed since. `kept` may be of an earlier key."""
    found = (_digests(content, canonical, key) for key in settings.ENCRYPTION_KEYS)
    nearest = max(found, key=lambda now: len(now.items() & kept.items()))
    return sorted({name for name, _ in nearest.items() ^ kept.items()})


def _digests(content: Mapping[str, Any], canonical: Canonical, key: str) -> dict[str, str]:
    secret = _secret(key)
    found = {}
    for name, value in _flat(content):
        said = name.encode() + b"\n" + canonical(value)
        found[name] = hashlib.blake2b(said, key=secret, digest_size=_BYTES).hexdigest()
        if len(found) == MOST:
            break
    return found


def _flat(content: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in content.items():
        if not _NAME.fullmatch(name):
            continue
        if isinstance(value, Mapping) and not within:
            yield from _flat(value, f"{name}.")
        else:
            yield within + name, value


@lru_cache(maxsize=8)
def _secret(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), person=b"idempotency").digest()
