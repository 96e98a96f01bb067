"""One key, one effect, one answer (contract §2.7).

The claim of the key, the work and the stored answer are one transaction: a crash leaves nothing or everything, and
a second caller waits at the unique index until the first has finished.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import orjson
from django.db import OperationalError, transaction
from django.http import HttpRequest
from psycopg.errors import DeadlockDetected, LockNotAvailable, SerializationFailure

from accounts.clock import wall
from accounts.errors import Refusal
from accounts.models import Merchant
from accounts.rows import execute, first
from accounts.sealing import seal, unseal
from accounts.wire import PLAIN_DIGITS
from gateway.api.errors import (
    IdempotencyConflict,
    IdempotencyInProgress,
    IdempotencyKeyInvalid,
    IdempotencyKeyMissing,
    body_of,
)
from gateway.api.models import IdempotencyKey

RETENTION = timedelta(days=30)
TRIES = 3
_UUID = re.compile(r'("?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\1', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stored:
    """The answer of a key: what was sent the first time, byte for byte."""

    status: int
    body: bytes
    replayed: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """A POST that carries a key."""

    merchant: Merchant
    key: str
    fingerprint: bytes
    method: str
    path: str
    request_id: str


def key_of(request: HttpRequest) -> str:
    """The UUID in the header, in lower case. Refuses with ONP400_IDEMPOTENCY_KEY_MISSING or _INVALID."""
    text = request.META.get("HTTP_IDEMPOTENCY_KEY", "").strip()
    if not text:
        raise IdempotencyKeyMissing(field="idempotency-key")
    if not (match := _UUID.fullmatch(text)):
        raise IdempotencyKeyInvalid(field="idempotency-key")
    return match[2].lower()


def fingerprint(method: str, path: str, body: dict[str, Any]) -> bytes:
    """SHA-256 over method, path and content: neither white space, nor member order, nor `10.00` for `10` matters."""
    canonical = orjson.dumps(body, default=_number, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(b"\n".join((method.encode(), path.encode(), canonical))).digest()


def _number(value: Any) -> orjson.Fragment:
    """The number's significant digits and exponent: `10.00`, `1e1` and `10` are one number; nothing is rounded."""
    sign, digits, exponent = Decimal(value).as_tuple()
    assert isinstance(exponent, int)
    written = "".join(map(str, digits)).lstrip("0")
    significant = written.rstrip("0")
    exponent += len(written) - len(significant)
    if not significant:
        return orjson.Fragment("0")
    if 0 <= exponent <= PLAIN_DIGITS - len(significant):
        return orjson.Fragment("-" * sign + significant + "0" * exponent)  # as orjson writes an int
    return orjson.Fragment(f"{'-' * sign}{significant}e{exponent}")


def replay(attempt: Attempt) -> Stored | None:
    """The stored answer of the key, if there is one. Refuses with ONP409_IDEMPOTENCY_CONFLICT for other content."""
    row = first(
        "SELECT fingerprint, status, sealed_body FROM gateway_idempotencykey WHERE merchant_id = %s AND key = %s",
        [attempt.merchant.pk, attempt.key],
    )
    if row is None:
        return None
    if bytes(row[0]) != attempt.fingerprint:
        raise IdempotencyConflict
    return Stored(row[1], unseal(bytes(row[2])), replayed=True)


def perform(attempt: Attempt, act: Callable[[], tuple[int, bytes]]) -> Stored:
    """Runs `act` once for this key, in one transaction with its stored answer, or replays what it answered before.

    A refusal with status 409 or 422 is stored as well; after any other error the key is free again. Waits up to two
    seconds for another call with the same key, then refuses with ONP409_IDEMPOTENCY_IN_PROGRESS.
    """
    for tries_left in reversed(range(TRIES)):
        try:
            if stored := _once(attempt, act) or replay(attempt):
                return stored
        except OperationalError as error:
            if not tries_left or not isinstance(error.__cause__, DeadlockDetected | SerializationFailure):
                raise
    raise IdempotencyInProgress


def _once(attempt: Attempt, act: Callable[[], tuple[int, bytes]]) -> Stored | None:
    """None where somebody else has the key."""
    try:
        with transaction.atomic():
            if not _claim(attempt):
                return None
            status, body = act()
            _store(attempt, status, body)
    except Refusal as refusal:
        if not refusal.final:
            raise
        status, body = refusal.status, body_of(refusal, attempt.request_id)
        with transaction.atomic():
            if not _claim(attempt):
                return None
            _store(attempt, status, body)
    return Stored(status, body, replayed=False)


def _claim(attempt: Attempt) -> bool:
    try:
        return bool(
            execute(
                """
                INSERT INTO gateway_idempotencykey (merchant_id, key, fingerprint, method, path, request_id, created_at)
                VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (merchant_id, key) DO NOTHING
                """,
                [
                    attempt.merchant.pk,
                    attempt.key,
                    attempt.fingerprint,
                    attempt.method,
                    attempt.path[:255],
                    attempt.request_id,
                    wall(),
                ],
            )
        )
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise IdempotencyInProgress from error
        raise


def _store(attempt: Attempt, status: int, body: bytes) -> None:
    execute(
        "UPDATE gateway_idempotencykey SET status = %s, sealed_body = %s WHERE merchant_id = %s AND key = %s",
        [status, seal(body), attempt.merchant.pk, attempt.key],
    )


def forget_old(batch: int = 1000) -> int:
    """Deletes keys past their retention, in batches; returns how many."""
    forgotten = 0
    while True:
        old = IdempotencyKey.objects.filter(created_at__lt=wall() - RETENTION).values("pk")[:batch]
        deleted, _ = IdempotencyKey.objects.filter(pk__in=old).delete()
        forgotten += deleted
        if deleted < batch:
            return forgotten
