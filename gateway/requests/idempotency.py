"""One key, one effect, one answer (contract §2.7).

The claim of the key, the work and the stored answer are one transaction: a crash leaves nothing or everything, and
a second caller waits at the unique index until the first has finished.

If a provider must be asked, the first transaction stores what was started and binds it to the key; the answer is
applied in a second one. A call that fails or dies between the two leaves the key bound: the same request resumes
what was started, and never starts a second one.
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import orjson
from django.db import DatabaseError, OperationalError, transaction
from psycopg.errors import LockNotAvailable

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.base.errors import Fault, Refusal
from accounts.base.rows import Statement, execute, first, retry_on_deadlock, table
from accounts.base.sealing import seal, unseal
from accounts.base.wire import PLAIN_DIGITS
from accounts.cells import has_moved, in_cell_of, where_it_lives_now
from accounts.models import Merchant
from gateway.requests import members
from gateway.requests.envelope import body_of
from gateway.requests.errors import (
    IdempotencyConflict,
    IdempotencyInProgress,
    IdempotencyKeyInvalid,
    IdempotencyKeyMissing,
)
from gateway.requests.models import IdempotencyKey

RETENTION = timedelta(days=30)
LEASE = timedelta(seconds=90)
"""How long a provider may take; after that a retry may take over."""
WAIT_S, LOOK_EVERY_S = 2.0, 0.05
_OWN = "merchant_id = %s AND key = %s"
_OPEN = f"{_OWN} AND status IS NULL AND resource_id IS NOT NULL"
_UUID = re.compile(r'("?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\1', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stored:
    """The stored response of a key, byte for byte."""

    status: int
    body: bytes
    replayed: bool


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """A POST with an idempotency key."""

    merchant: Merchant
    key: str
    fingerprint: bytes
    method: str
    path: str
    request_id: str
    content: Mapping[str, Any] = field(default_factory=dict, repr=False)
    leased_until: datetime = field(default_factory=lambda: utcnow() + LEASE)


def key_of(header: str) -> str:
    """The UUID in the header `idempotency-key`, in lower case. Raises ONP400_IDEMPOTENCY_KEY_MISSING or _INVALID."""
    text = header.strip()
    if not text:
        raise IdempotencyKeyMissing(field="idempotency-key")
    if not (match := _UUID.fullmatch(text)):
        raise IdempotencyKeyInvalid(field="idempotency-key")
    return match[2].lower()


def fingerprint(method: str, path: str, body: dict[str, Any]) -> bytes:
    """SHA-256 over method, path and content: whitespace, member order and `10.00` versus `10` make no difference."""
    return hashlib.sha256(b"\n".join((method.encode(), path.encode(), _canonical(body)))).digest()


def _canonical(content: Any) -> bytes:
    return orjson.dumps(content, default=_number, option=orjson.OPT_SORT_KEYS)


def _number(value: Any) -> orjson.Fragment:
    """The number's significant digits and exponent: `10.00`, `1e1` and `10` are equal; nothing is rounded."""
    sign, digits, exponent = Decimal(value).as_tuple()
    assert isinstance(exponent, int)
    written = "".join(map(str, digits)).lstrip("0")
    significant = written.rstrip("0")
    exponent += len(written) - len(significant)
    if not significant:
        return orjson.Fragment("0")
    if 0 <= exponent <= PLAIN_DIGITS - len(significant):
        return orjson.Fragment("-" * sign + significant + "0" * exponent)  # as orjson formats an int
    return orjson.Fragment(f"{'-' * sign}{significant}e{exponent}")


def replay(attempt: KeyedRequest) -> Stored | None:
    """The stored response of the key, if any. Raises ONP409_IDEMPOTENCY_CONFLICT for different content, naming the
    members that differ.
    """
    row = first(
        f"SELECT fingerprint, status, sealed_body, path, members FROM {table(IdempotencyKey)} WHERE {_OWN}",
        [attempt.merchant.pk, attempt.key],
    )
    if row is None:
        return None
    if bytes(row[0]) != attempt.fingerprint:
        raise IdempotencyConflict(faults=_differences(attempt, *row[3:]))
    if row[1] is None:
        return None
    return Stored(row[1], unseal(bytes(row[2])), replayed=True)


def _differences(attempt: KeyedRequest, path: str, known: str | None) -> list[Fault]:
    if path != attempt.path[:255]:
        return [Fault("idempotency-key", "NOT_ALLOWED", "The key was used with another path.")]
    names = members.differing(attempt.content, orjson.loads(known), _canonical) if known else []
    return [Fault(name, "NOT_ALLOWED", "Differs from the first request with this key.") for name in names]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A started operation and how it continues: `ask` outside any transaction, then `take` the answer."""

    resource_id: str
    ask: Callable[[], Any]
    take: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The result of work that has not been done yet. `store` does it, and stores the row of the key with its response,
    in one statement; False: it did not, or nobody knows.
    """

    result: Any
    store: Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class KeyedWork:
    """The work of a request, and how a started one is resumed. `render` turns a result into a response.

    `prepare` writes nothing. None: the work takes more than one statement.
    """

    begin: Callable[[], Any]
    resume: Callable[[str], Any]
    render: Callable[[Any], tuple[int, bytes]]
    prepare: Callable[[], Prepared | None] = lambda: None


def perform(attempt: KeyedRequest, work: KeyedWork) -> Stored:
    """Does the work once for this key and stores its response, or replays the stored one.

    A refusal with status 409 or 422 is stored as well. After any other error the key is free again, unless a
    provider was asked: then it stays bound to what was started. Waits up to two seconds for another call with the
    same key, then raises ONP409_IDEMPOTENCY_IN_PROGRESS.
    """
    if stored := _at_once(attempt, work):
        return stored
    give_up = time.monotonic() + WAIT_S
    while True:
        if stored := retry_on_deadlock(partial(_begin, attempt, work)) or replay(attempt):
            return stored
        if stored := retry_on_deadlock(partial(_resume, attempt, work)):
            return stored
        if time.monotonic() > give_up:
            raise IdempotencyInProgress
        time.sleep(LOOK_EVERY_S)


def _at_once(attempt: KeyedRequest, work: KeyedWork) -> Stored | None:
    """The work in one statement. None if it is refused, or cannot be done so: one after the other all is checked in its
    order, the key first.
    """
    try:
        prepared = work.prepare()
    except Refusal:
        return None
    if prepared is None:
        return None
    status, body = work.render(prepared.result)
    is_stored = prepared.store(row_with(attempt, status, body))
    return Stored(status, body, replayed=False) if is_stored else None


_STORE = f"""
    INSERT INTO {table(IdempotencyKey)}
           (merchant_id, key, fingerprint, members, method, path, status, sealed_body, request_id, created_at)
    VALUES (%(merchant_id)s, %(key)s, decode(%(fingerprint)s, 'hex'), %(members)s, %(method)s, %(path)s, %(status)s,
            convert_to(%(sealed_body)s, 'UTF8'), %(request_id)s, %(created_at)s)
    ON CONFLICT (merchant_id, key) DO NOTHING RETURNING true
"""


def storing(attempt: KeyedRequest, status: int, body: bytes) -> Statement:
    """Stores the response under a key that nobody has used; if somebody has, it stores nothing and has no row."""
    return _STORE, row_with(attempt, status, body)


def row_with(attempt: KeyedRequest, status: int, body: bytes) -> dict[str, Any]:
    """The row of the key with the response, as JSON types."""
    return {
        "merchant_id": attempt.merchant.pk,
        "key": attempt.key,
        "fingerprint": attempt.fingerprint.hex(),
        "members": _members(attempt),
        "method": attempt.method,
        "path": attempt.path[:255],
        "status": status,
        "sealed_body": seal(body).decode("ascii"),
        "request_id": attempt.request_id,
        "created_at": utcnow(),
    }


def _members(attempt: KeyedRequest) -> str:
    return orjson.dumps(members.digests(attempt.content, _canonical)).decode()


def is_used(attempt: KeyedRequest) -> bool:
    """Whether the key is in use: by a response, or by something that was started."""
    own = [attempt.merchant.pk, attempt.key]
    return first(f"SELECT true FROM {table(IdempotencyKey)} WHERE {_OWN}", own) is not None


def _begin(attempt: KeyedRequest, work: KeyedWork) -> Stored | None:
    """None if another caller has the key."""
    return _settle(attempt, work, _claim, work.begin)


def _resume(attempt: KeyedRequest, work: KeyedWork) -> Stored | None:
    """None if there is nothing to resume, or another caller is resuming it."""
    now = utcnow()
    begun = first(
        f"""UPDATE {table(IdempotencyKey)} SET leased_until = %s WHERE {_OPEN} AND leased_until <= %s
            RETURNING resource_id""",
        [attempt.leased_until, attempt.merchant.pk, attempt.key, now],
    )
    if begun is None:
        return None
    with _released_on_failure(attempt):
        return _settle(attempt, work, _is_open, partial(work.resume, begun[0]))


def _settle(
    attempt: KeyedRequest, work: KeyedWork, hold: Callable[[KeyedRequest], bool], act: Callable[[], Any]
) -> Stored | None:
    """The result and its response in one transaction; or the result and what to ask next. None: the lease was lost."""
    try:
        with transaction.atomic():
            if not hold(attempt):
                return None
            outcome = _outcome(attempt, work, act)
    except Refusal as refusal:
        if not refusal.final:
            raise
        with transaction.atomic():
            return _refused(attempt, refusal) if hold(attempt) else None
    return outcome if isinstance(outcome, Stored) else _ask(attempt, work, outcome)


def _outcome(attempt: KeyedRequest, work: KeyedWork, act: Callable[[], Any]) -> Stored | Unfinished:
    try:
        result = act()
    except Refusal as refusal:
        if not refusal.keeps_changes:
            raise
        return _refused(attempt, refusal)
    if not isinstance(result, Unfinished):
        return _store(attempt, *work.render(result))
    execute(
        f"UPDATE {table(IdempotencyKey)} SET resource_id = %s, leased_until = %s WHERE {_OWN}",
        [result.resource_id, attempt.leased_until, attempt.merchant.pk, attempt.key],
    )
    return result


def _ask(attempt: KeyedRequest, work: KeyedWork, unfinished: Unfinished) -> Stored | None:
    with _released_on_failure(attempt):
        answer = unfinished.ask()
        apply = partial(_settle, attempt, work, _is_open, partial(unfinished.take, answer))
        return where_it_lives_now(attempt.merchant, apply)


@contextmanager
def _released_on_failure(attempt: KeyedRequest) -> Iterator[None]:
    """Releases the lease when a call fails, so that a retry can take over at once; after a crash the lease expires."""
    try:
        yield
    except BaseException as failure:
        with suppress(DatabaseError):
            has_moved(attempt.merchant, cells.current(), failure)
            with in_cell_of(attempt.merchant):
                execute(
                    f"UPDATE {table(IdempotencyKey)} SET leased_until = %s WHERE {_OPEN} AND leased_until = %s",
                    [utcnow(), attempt.merchant.pk, attempt.key, attempt.leased_until],
                )
        raise


def _is_open(attempt: KeyedRequest) -> bool:
    return (
        first(f"SELECT true FROM {table(IdempotencyKey)} WHERE {_OPEN} FOR UPDATE", [attempt.merchant.pk, attempt.key])
        is not None
    )


def _claim(attempt: KeyedRequest) -> bool:
    try:
        return bool(
            execute(
                f"""
                INSERT INTO {table(IdempotencyKey)}
                       (merchant_id, key, fingerprint, members, method, path, request_id, created_at)
                VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (merchant_id, key) DO NOTHING
                """,
                [
                    attempt.merchant.pk,
                    attempt.key,
                    attempt.fingerprint,
                    _members(attempt),
                    attempt.method,
                    attempt.path[:255],
                    attempt.request_id,
                    utcnow(),
                ],
            )
        )
    except OperationalError as error:
        if _another_has_it(error.__cause__):
            raise IdempotencyInProgress from error
        raise


def _another_has_it(cause: BaseException | None) -> bool:
    """Whether the claim has waited too long for a request that has the same key: PostgreSQL then names the row, and the
    table where it is. Whoever waits for the table itself is told neither, and nobody need have the key.
    """
    return isinstance(cause, LockNotAvailable) and table(IdempotencyKey) in (cause.diag.context or "")


def _store(attempt: KeyedRequest, status: int, body: bytes) -> Stored:
    execute(
        f"UPDATE {table(IdempotencyKey)} SET status = %s, sealed_body = %s WHERE {_OWN}",
        [status, seal(body), attempt.merchant.pk, attempt.key],
    )
    return Stored(status, body, replayed=False)


def _refused(attempt: KeyedRequest, refusal: Refusal) -> Stored:
    return _store(attempt, refusal.status, body_of(refusal, attempt.request_id))


def forget_old(batch: int = 1000) -> int:
    """Deletes expired keys in batches; returns how many."""
    forgotten = 0
    while True:
        old = IdempotencyKey.objects.filter(created_at__lt=utcnow() - RETENTION).values("pk")[:batch]
        deleted, _ = IdempotencyKey.objects.filter(pk__in=old).delete()
        forgotten += deleted
        if deleted < batch:
            return forgotten
