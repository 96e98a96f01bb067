"""How long migrations keep writers out of each table.

From when one asks for a lock that writers do not get beside it until it lets go of it: whoever comes later waits behind
it, also while it waits itself. That is read from `pg_locks`, again and again: it lasted at least from the first look
that saw it to the last, and at most from the look before to the one after, which on a busy machine are far apart. The
kernel tells how much of it the migration's process waited for a processor. Beside it, how long a writer waited by its
own watch: a lock as an INSERT takes it, again and again.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
from psycopg import sql

EVERY_S, LOOKED_AT_EVERY_S = 0.02, 0.003
MS = timedelta(milliseconds=1)
_KEPT_OUT = """
    SELECT relation::regclass::text, pid FROM pg_locks
     WHERE relation = ANY(%s::regclass[]) AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
           'AccessExclusiveLock')
"""
_APPLIED = "SELECT app || '.' || name FROM django_migrations WHERE applied >= %s ORDER BY id LIMIT 1"


@dataclass
class Kept:
    """How long writers were kept out of a table, how much of it for want of a processor, in ms, and since when."""

    least_ms: float = 0.0
    most_ms: float = 0.0
    unscheduled_ms: float = 0.0
    since: datetime | None = None
    migration: str = ""

    @property
    def by_the_lock_ms(self) -> float:
        return max(self.least_ms - self.unscheduled_ms, 0.0)


@dataclass
class Locks:
    """The longest of each table, in milliseconds."""

    kept: dict[str, Kept] = field(default_factory=dict)
    waited: dict[str, float] = field(default_factory=dict)

    @property
    def worst(self) -> float:
        return max((one.by_the_lock_ms for one in self.kept.values()), default=0.0)


@contextmanager
def watched(url: str, tables: Sequence[str]) -> Iterator[Locks]:
    """Watches these tables until the block ends."""
    over = threading.Event()
    locks = Locks({table: Kept() for table in tables}, dict.fromkeys(tables, 0.0))
    watchers = [threading.Thread(target=_write, args=(url, table, locks, over)) for table in tables]
    watchers.append(threading.Thread(target=_look, args=(url, tables, locks, over)))
    for watcher in watchers:
        watcher.start()
    try:
        yield locks
    finally:
        over.set()
        for watcher in watchers:
            watcher.join()
    with psycopg.connect(url, autocommit=True) as server:
        for one in locks.kept.values():
            found = server.execute(_APPLIED, [one.since]).fetchone() if one.since else None
            one.migration = str(found[0]) if found else ""


def _write(url: str, table: str, locks: Locks, over: threading.Event) -> None:
    lock = sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(sql.Identifier(table))
    with psycopg.connect(url) as server:
        while not over.wait(EVERY_S):
            begun = time.perf_counter()
            server.execute(lock)
            milliseconds = (time.perf_counter() - begun) * 1000
            server.commit()
            locks.waited[table] = max(locks.waited[table], milliseconds)


def _look(url: str, tables: Sequence[str], locks: Locks, over: threading.Event) -> None:
    seen: dict[tuple[str, int], tuple[datetime, datetime, int]] = {}
    with psycopg.connect(url, autocommit=True) as server:
        last = _now(server)
        while not over.wait(LOOKED_AT_EVERY_S):
            now = _now(server)
            found = [(str(table), int(pid)) for table, pid in server.execute(_KEPT_OUT, [[*tables]]).fetchall()]
            for table, pid in seen.keys() - found:
                before, first, unscheduled = seen.pop((table, pid))
                waited = max(_unscheduled_ns(pid) - unscheduled, 0) / 1e6
                kept = Kept((last - first) / MS, (now - before) / MS, waited, before)
                locks.kept[table] = max(locks.kept[table], kept, key=lambda one: (one.by_the_lock_ms, one.most_ms))
            for one in found:
                seen.setdefault(one, (last, now, _unscheduled_ns(one[1])))
            last = now


def _now(server: psycopg.Connection) -> datetime:
    found = server.execute("SELECT clock_timestamp()").fetchone()
    assert found
    at: datetime = found[0]
    return at


def _unscheduled_ns(pid: int) -> int:
    """How long the process has waited for a processor so far; 0 if the kernel does not tell."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])
    except (OSError, IndexError):
        return 0
