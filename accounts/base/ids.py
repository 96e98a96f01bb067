"""Public ids: a prefix that says what it is, and a ULID (contract §2.3)."""

import os
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Lock
from typing import Any

from django.db import models

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
MAX_LENGTH = 40
_STEP = (1 << 72) - 1
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
    milliseconds = 0
    for digit in public_id.partition("_")[2][:10]:
        milliseconds = milliseconds * len(CROCKFORD) + CROCKFORD.index(digit)
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)


def number(public_id: str) -> int:
    """The 128 bits of an id that was made here. Raises ValueError for one that was not."""
    value = 0
    for digit in public_id.partition("_")[2]:
        value = value * len(CROCKFORD) + CROCKFORD.index(digit)
    return value


def new_id(prefix: str) -> str:
    return f"{prefix}_{ulid()}"


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
