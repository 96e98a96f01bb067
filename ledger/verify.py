"""Proof that the books are right: every invariant is made of queries whose results must be empty.

A query about totals reads them in one snapshot. Any other is about single rows, and is proved a part of its table at a
time, each in a short snapshot of its own, so that vacuum waits for none of them: no sum is made of two snapshots.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Model
from psycopg.errors import SerializationFailure

from accounts.base import cells
from accounts.base.rows import first, table
from accounts.cells import OPEN_CELL

SAMPLE = 20
_AND_UNTIL = " until "
_ALWAYS = "infinity"
_UNLIMITED = "'-infinity'::timestamptz, 'infinity'::timestamptz"
AT_ONCE = 20_000
"""Rows in a part."""
LOCK = 0x6F6E7061795F7072
"""PostgreSQL advisory lock of the one process that proves all books, held during each part; the next number is that of
the one that proves what is new.
"""


# What belongs to the rows of a part was written beside each other: looking it up costs less than reading its table, as
# does a plan for this part instead of one for any. What is sorted or hashed of it stays in memory.
_PLANNED = """
    SET LOCAL statement_timeout = 0; SET LOCAL plan_cache_mode = force_custom_plan;
    SET LOCAL random_page_cost = 1.1; SET LOCAL work_mem = '64MB'; SET LOCAL max_parallel_workers_per_gather = 0
"""


@dataclass(frozen=True, slots=True)
class Query:
    """Returns one row per counterexample. With a table, it reads it as `part`: all of its rows, or any part of them."""

    sql: str
    over: type[Model] | None = None

    def on(self, where: str = "", span: str = _UNLIMITED, cell: str = "") -> str:
        """The statement about the rows of the table for which the condition is true, and what they stand for in a span
        of time. `cell`: what tells PostgreSQL the name of the cell, else its name now.
        """
        about = self.sql.replace(OPEN_CELL, cell or f"'{cells.current() or 'public'}'")
        if self.over is None:
            return about
        rows = f"SELECT * FROM {table(self.over)} {where and 'WHERE'} {where}"
        times = f"span (since, until) AS (VALUES ({span}))" if self.over in _cuts else ""
        return f"WITH part AS NOT MATERIALIZED ({rows}){times and ', '}{times} {about}"


@dataclass(frozen=True, slots=True)
class Invariant:
    number: str
    claim: str
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    invariant: Invariant
    counterexamples: list[tuple[Any, ...]]

    def __str__(self) -> str:
        return f"{self.invariant.number} {self.invariant.claim}: {self.counterexamples}"


_invariants: dict[str, Invariant] = {}
_one_at_a_time: set[type[Model]] = set()
_cuts: dict[type[Model], str] = {}


def invariant(
    number: str,
    claim: str,
    sql: str = "",
    over: Mapping[type[Model], str] | None = None,
    each: Mapping[type[Model], str] | None = None,
) -> Invariant:
    """Adds an invariant to `verify`. Rooms above the ledger add theirs.

    `sql` is about totals. `over` and `each` are about the rows of a table, which they read as `part`: many at a time,
    or one, for a table whose rows stand for many, such as days.
    """
    assert number not in _invariants, number
    totals = (Query(sql),) if sql else ()
    rows = tuple(Query(about, model) for model, about in {**(over or {}), **(each or {})}.items())
    _one_at_a_time.update(each or {})
    _invariants[number] = Invariant(number, claim, (*totals, *rows))
    return _invariants[number]


def cut(model: type[Model], sql: str) -> None:
    """Has what a row of the table stands for proved a span of time at a time, between these cuts of the row `key`, each
    span of about as many as `rows` of another table would be.

    Its queries read `span`, with the times `since` and `until`. The spans have no gaps, wherever the cuts are.
    """
    _cuts[model] = sql


def all_invariants() -> list[Invariant]:
    return sorted(_invariants.values(), key=lambda known: (len(known.number), known.number))


def sliced() -> list[type[Model]]:
    """The tables that are proved a part at a time."""
    models = {query.over for known in _invariants.values() for query in known.queries if query.over}
    return sorted(models, key=table)


def stands_for_many(model: type[Model]) -> bool:
    """Whether each row of the table is proved by itself."""
    return model in _one_at_a_time


class BeingVerified(Exception):
    """Another process is verifying the books."""


@dataclass(slots=True)
class Part:
    """Some rows of a table, or the totals. `where` has named parameters; `last` is the key of the last row, with the
    end of a span.
    """

    of: type[Model] | None = None
    where: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    last: str = ""

    @property
    def span(self) -> Mapping[str, str]:
        timed = "%(since)s::timestamptz, %(until)s::timestamptz"
        return {"span": timed} if "since" in self.values else {}


class Findings:
    """What was found so far: at most 20 counterexamples of each invariant."""

    def __init__(self) -> None:
        self._found: dict[str, list[tuple[Any, ...]]] = defaultdict(list)

    def check(self, cursor: Any, parts: Iterable[Part]) -> None:
        """Asks every query about each of these parts."""
        for part in parts:
            for known in all_invariants():
                for query in known.queries:
                    if query.over is part.of:
                        self._ask(cursor, known, query, part)

    def _ask(self, cursor: Any, known: Invariant, query: Query, part: Part) -> None:
        found = self._found[known.number]
        if len(found) < SAMPLE:
            asked = query.sql.replace("%", "%%")
            sql = Query(asked, query.over).on(part.where, **part.span)
            cursor.execute(f"SELECT * FROM ({sql}) violations LIMIT {SAMPLE - len(found)}", part.values)
            found += cursor.fetchall()

    def add(self, others: "Findings") -> None:
        for number, rows in others._found.items():
            known = self._found[number]
            known += [row for row in rows if row not in known][: SAMPLE - len(known)]

    @property
    def violations(self) -> list[Violation]:
        return [Violation(known, rows) for known in all_invariants() if (rows := self._found[known.number])]


@contextmanager
def snapshot(lock: int | None = None, *, is_written: bool = False) -> Iterator[Any]:
    """A cursor that sees the database as it is now; unless `is_written`, it changes nothing.

    Raises BeingVerified if another process has this lock, or had it as this began and has written since.
    """
    access = "READ WRITE" if is_written else "READ ONLY"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if not connection.savepoint_ids:  # not inside another transaction
                cursor.execute(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ {access}")
            cursor.execute(_PLANNED)
            if lock is not None and not _is_first(cursor, lock):
                raise BeingVerified
            yield cursor
    except OperationalError as error:
        if isinstance(error.__cause__, SerializationFailure):
            raise BeingVerified from error
        raise


def verify(
    progress: Callable[[Part], None] = lambda part: None,
    *,
    alone: bool = False,
    at_once: int = AT_ONCE,
    connections: int = 1,
) -> list[Violation]:
    """Proves all books, from their beginning; an empty list is the proof. At most 20 counterexamples of each invariant.

    What is written meanwhile is left to the next proof. `alone`: raises BeingVerified if another process that asked
    for this is running. `connections`: how many parts are proved at the same time. Inside a transaction only its own
    connection sees what it wrote, so there it is one.
    """
    lock, parts = LOCK if alone else None, _Parts(_parts(at_once), progress)
    with snapshot(lock):
        pass  # raises before the others begin, who ask for no lock
    others = 0 if connection.in_atomic_block else connections - 1
    with ThreadPoolExecutor(max(others, 1), "verify") as threads:
        running = [threads.submit(copy_context().run, _prove_elsewhere, parts) for _ in range(others)]
        try:
            findings = _prove(parts, lock)
        finally:
            parts.end()
        for other in running:
            findings.add(other.result())
    return findings.violations


class _Parts:
    """Parts, each of them for one of several threads."""

    def __init__(self, parts: Iterator[Part], progress: Callable[[Part], None]) -> None:
        self._parts, self._progress, self._turn = parts, progress, Lock()

    def __iter__(self) -> Iterator[Part]:
        while True:
            with self._turn:
                part = next(self._parts, None)
                if part is None:
                    return
                try:
                    self._progress(part)
                except BaseException:
                    self._parts = iter(())  # before another thread has its turn
                    raise
            yield part

    def end(self) -> None:
        """No further part is begun."""
        with self._turn:
            self._parts = iter(())


def _prove(parts: Iterable[Part], lock: int | None = None) -> Findings:
    findings = Findings()
    for part in parts:
        with snapshot(lock) as cursor:
            findings.check(cursor, [part])
    return findings


def _prove_elsewhere(parts: _Parts) -> Findings:
    """In a thread, on its own connection. What fails here ends the others."""
    try:
        return _prove(parts)
    finally:
        parts.end()
        connection.close()


def _parts(at_once: int) -> Iterator[Part]:
    yield Part()
    yield from rows(at_once)


def rows(at_once: int, after: tuple[str, str] | None = None) -> Iterator[Part]:
    """All rows, table by table, each in the order of its keys; those that follow this last one of this table."""
    for model in sliced():
        if after is None or table(model) >= after[0]:
            last = after[1] if after and table(model) == after[0] else ""
            if model in _cuts:
                yield from _spans(model, at_once, *last.split(_AND_UNTIL))
            else:
                yield from _slices(model, 1 if model in _one_at_a_time else at_once, last)


def _slices(model: type[Model], at_once: int, low: Any = "") -> Iterator[Part]:
    """Up to the row that is now the last."""
    key = _key(model)
    last = _one(f"SELECT max({key}) FROM {table(model)}", {})
    while last is not None and str(low) != str(last):
        above = "true" if low == "" else f"{key} > %(low)s"
        asked = {"low": low, "last": last, "rows": at_once}
        high = _one(
            f"SELECT max(key) FROM (SELECT {key} AS key FROM {table(model)} WHERE {above} AND {key} <= %(last)s"
            f" ORDER BY {key} LIMIT %(rows)s) following",
            asked,
        )
        if high is None:
            return
        yield Part(model, f"{above} AND {key} <= %(high)s", {"low": low, "high": high}, str(high))
        low = high


def _spans(model: type[Model], at_once: int, key: str, since: str = _ALWAYS) -> Iterator[Part]:
    """The rest of this row, and then the others."""
    if since != _ALWAYS:
        yield from _spans_of(model, at_once, key, since)
    for part in _slices(model, 1, key):
        yield from _spans_of(model, at_once, part.last, "-infinity")


def _spans_of(model: type[Model], at_once: int, key: str, since: str) -> Iterator[Part]:
    cuts = _all(
        f"SELECT cut::text FROM ({_cuts[model]}) cuts WHERE cut > %(since)s ORDER BY cut",
        {"key": key, "rows": at_once, "since": since},
    )
    for until in (*cuts, _ALWAYS):
        values = {"key": key, "since": since, "until": until}
        yield Part(model, f"{_key(model)} = %(key)s", values, f"{key}{_AND_UNTIL}{until}")
        since = until


def _key(model: type[Model]) -> str:
    assert model._meta.pk is not None
    return str(model._meta.pk.column)


def _all(sql: str, values: Mapping[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [value for (value,) in cursor.fetchall()]


def _one(sql: str, values: Mapping[str, Any]) -> Any:
    row = first(sql, values)
    assert row is not None
    return row[0]


def _is_first(cursor: Any, lock: int) -> bool:
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [lock])
    return bool(cursor.fetchone()[0])
