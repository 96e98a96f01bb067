"""Public ids: a prefix that says what it is, and a ULID (contract §2.3)."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.crypto import salted_hmac

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
MAX_LENGTH = 40
_STEP = (1 << 72) - 1
_TIME = 10
"""The first characters of a ULID are its time, the others are random, or made of what an order is about."""
_PAIRS = tuple(high + low for high in CROCKFORD for low in CROCKFORD)


_lock = Lock()
_last = 0


def ulid() -> str:
    """26 characters of Crockford base32: 48 bits of Unix milliseconds, then 80 random bits.

    Within this process ids increase by a random step: they sort by creation, and neighbours cannot be guessed.
    """
    global _last
    fresh = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10), "big")
    with _lock:
        value = fresh if fresh > _last else _last + 1 + (fresh & _STEP)
        _last = value
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in range(120, -1, -10)])


def earliest(prefix: str, moment: datetime) -> str:
    """An id that sorts before all ids made from this moment on and after all ids made before it."""
    value = int(moment.timestamp() * 1000) << 80
    return f"{prefix}_" + "".join([_PAIRS[(value >> shift) & 1023] for shift in range(120, -1, -10)])


def made_at(public_id: str) -> datetime:
    """When the id was made, in UTC, to the millisecond. Raises ValueError or OverflowError for an impossible id."""
    milliseconds = _value_of(public_id.partition("_")[2][:_TIME])
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)


def number(public_id: str) -> int:
    """The 128 bits of an id that was made here. Raises ValueError for one that was not."""
    return _value_of(public_id.partition("_")[2])


def _value_of(digits: str) -> int:
    value = 0
    for digit in digits:
        value = value * len(CROCKFORD) + CROCKFORD.index(digit)
    return value


def new_id(prefix: str) -> str:
    return f"{prefix}_{ulid()}"


def id_about(prefix: str, *what: object) -> str:
    """An id like those of `new_id`, whose random part is made of what it is about and the secret key.

    So the same thing is recognized under an id that was made at another time: it ends like one of `tails_about`.
    """
    return f"{prefix}_{ulid()[:_TIME]}{next(tails_about(prefix, *what))}"


def tails_about(*what: object) -> Iterator[str]:
    """What ids end with that `id_about` made, under the secret key and under those that it replaced."""
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        digest = salted_hmac("accounts.base.ids", "\n".join(map(str, what)), secret=secret, algorithm="sha256").digest()
        value = int.from_bytes(digest[:10], "big")
        yield "".join([_PAIRS[(value >> shift) & 1023] for shift in range(70, -1, -10)])


def is_well_formed(text: str) -> bool:
    """Whether the text has the form of an id; anything else is treated like an unknown id."""
    return len(text) <= MAX_LENGTH and text.isascii() and text.isprintable()


class IdField(models.CharField):
    """A public id: `<prefix>_<ULID>`."""

    def __init__(self, prefix: str = "", **options: Any) -> None:
        self.prefix = prefix
        options.setdefault("max_length", MAX_LENGTH)
        options.setdefault("editable", False)
        options.setdefault("default", partial(new_id, prefix))
        options.setdefault("db_collation", "C")
        super().__init__(**options)

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        name, path, args, options = super().deconstruct()
        options.pop("default", None)
        return name, path, args, {**options, "prefix": self.prefix}
