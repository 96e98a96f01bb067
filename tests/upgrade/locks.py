"""How long writers of each table wait while migrations run: a lock as an INSERT takes it, again and again."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
from psycopg import sql

EVERY_S = 0.02
_BIG = """
    SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = 'public' AND relkind IN ('r', 'p') AND reltuples >= %s ORDER BY relname
"""
_APPLIED = "SELECT app || '.' || name FROM django_migrations WHERE applied >= %s ORDER BY id LIMIT 1"


@dataclass
class Waits:
    """The longest wait for each table, in milliseconds, and the migration that was applied next."""

    longest: dict[str, tuple[float, str]] = field(default_factory=dict)

    def note(self, table: str, milliseconds: float, migration: str) -> None:
        if milliseconds > self.longest.get(table, (0.0, ""))[0]:
            self.longest[table] = milliseconds, migration

    @property
    def worst(self) -> float:
        return max((wait for wait, _ in self.longest.values()), default=0.0)


@contextmanager
def watched(url: str, rows: int) -> Iterator[Waits]:
    """Watches the tables of at least so many rows until the block ends."""
    waits, over = Waits(), threading.Event()
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("ANALYZE")
        tables = [str(name) for (name,) in server.execute(_BIG, [rows]).fetchall()]
    watchers = [threading.Thread(target=_watch, args=(url, table, waits, over)) for table in tables]
    for watcher in watchers:
        watcher.start()
    try:
        yield waits
    finally:
        over.set()
        for watcher in watchers:
            watcher.join()


def _watch(url: str, table: str, waits: Waits, over: threading.Event) -> None:
    lock = sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(sql.Identifier(table))
    with psycopg.connect(url) as server:
        while not over.wait(EVERY_S):
            begun = time.perf_counter()
            server.execute(lock)
            milliseconds = (time.perf_counter() - begun) * 1000
            since = server.execute("SELECT now()").fetchone()
            found = server.execute(_APPLIED, [since and since[0]]).fetchone() if milliseconds > 10 else None
            server.commit()
            waits.note(table, milliseconds, str(found[0]) if found else "")
