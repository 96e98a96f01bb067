"""Reads that a replica may answer: lists, pages, reports and exports, which read much and decide nothing.

A replica is asked only once it has all that was committed before: whoever reads sees what they just did. One that lags,
fails or is gone changes nothing but speed. Keys, idempotency, events, and balances that decide stay on the primary.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import structlog
from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError, connections
from psycopg.errors import QueryCanceled, ReadOnlySqlTransaction
from psycopg_pool import PoolTimeout

from accounts.base.counters import REPLICA_READS
from accounts.base.rows import first

log = structlog.get_logger()
T = TypeVar("T")
P = TypeVar("P", bound=Callable[..., object])

PRIMARY, REPLICA = "default", "replica"
STEP_S = 0.003
"""How often a read looks whether the replica has what was committed before it."""
RESTS_S = 1.0
"""For so long nobody in this process asks one that lags or failed."""
_FAILURES = (OperationalError, InterfaceError, PoolTimeout)
# Without waiting for the disk at each commit, more is visible than was written to it.
_COMMITTED = """
    SELECT CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
                ELSE pg_current_wal_flush_lsn() END::text
"""
_HAS = "SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn"
_rests_until = 0.0


def elsewhere(read: Callable[[], T]) -> T:
    """What `read` returns, from a replica if there is one that can answer, and otherwise from the primary.

    `read` may run twice: if the replica fails on the way, or it wants to write after all, the primary answers. Within a
    transaction it always does. A file is read a piece at a time, each by itself.
    """
    if REPLICA not in connections.settings or connections[PRIMARY].in_atomic_block or _is_elsewhere():
        return read()
    if time.monotonic() < _rests_until or not _has_all():
        REPLICA_READS.labels("primary").inc()
        return read()
    try:
        with _instead():
            found = read()
    except _FAILURES as failure:
        if _took_too_long(failure):
            raise
        _rest(type(failure.__cause__ or failure).__name__)
    except InternalError as refused:
        if not isinstance(refused.__cause__, ReadOnlySqlTransaction):
            raise
    else:
        REPLICA_READS.labels("replica").inc()
        return found
    REPLICA_READS.labels("primary").inc()
    return read()


def on_primary(page: P) -> P:
    """Marks a page of staff that writes or locks when it is opened: the primary answers it, and does all of it once."""
    page.on_primary = True  # type: ignore[attr-defined]
    return page


def is_final(failure: Exception) -> bool:
    """Whether the primary would do no better: a statement took too long, or it is the primary that has failed.

    Who goes on without what could not be read lets every other failure pass.
    """
    return _took_too_long(failure) or not _is_elsewhere()


def _took_too_long(failure: Exception) -> bool:
    return isinstance(failure.__cause__, QueryCanceled)


def _is_elsewhere() -> bool:
    return REPLICA in connections.settings and connections[PRIMARY] is connections[REPLICA]


def _has_all() -> bool:
    """Whether it has, within its time, what is committed now."""
    (committed,) = first(_COMMITTED) or (None,)
    ends = time.monotonic() + settings.REPLICA_PATIENCE_MS / 1000
    try:
        with _instead():
            while not (first(_HAS, [committed]) or (False,))[0]:
                if time.monotonic() > ends:
                    _rest("lags")
                    return False
                time.sleep(STEP_S)
    except _FAILURES as failure:
        _rest(type(failure.__cause__ or failure).__name__)
        return False
    return True


@contextmanager
def _instead() -> Iterator[None]:
    """In this thread, whoever asks for the database gets the replica."""
    primary = connections[PRIMARY]
    connections[PRIMARY] = connections[REPLICA]
    try:
        yield
    finally:
        connections[PRIMARY] = primary


def _rest(why: str) -> None:
    global _rests_until
    _rests_until = time.monotonic() + RESTS_S
    log.warning("replica.rests", why=why)
