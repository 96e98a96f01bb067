"""Proof that the books are right: every invariant is a query whose result must be empty."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

SAMPLE = 20
LOCK = 0x6F6E7061795F7072
"""PostgreSQL advisory lock, held until the end of the transaction by the one process that proves the books."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """`sql` returns one row per counterexample."""

    number: str
    claim: str
    sql: str


@dataclass(frozen=True, slots=True)
class Violation:
    invariant: Invariant
    counterexamples: list[tuple[Any, ...]]

    def __str__(self) -> str:
        return f"{self.invariant.number} {self.invariant.claim}: {self.counterexamples}"


_invariants: dict[str, Invariant] = {}


def invariant(number: str, claim: str, sql: str) -> Invariant:
    """Adds an invariant to `verify`. Rooms above the ledger add theirs."""
    assert number not in _invariants, number
    _invariants[number] = Invariant(number, claim, sql)
    return _invariants[number]


def all_invariants() -> list[Invariant]:
    return sorted(_invariants.values(), key=lambda known: (len(known.number), known.number))


class BeingVerified(Exception):
    """Another process is verifying the books."""


def verify(progress: Callable[[Invariant], None] = lambda known: None, *, alone: bool = False) -> list[Violation]:
    """Checks every invariant in one snapshot; an empty list is the proof. At most 20 counterexamples of each.

    `alone`: raises BeingVerified if another process that asked for this is running.
    """
    violations = []
    with transaction.atomic(), connection.cursor() as cursor:
        if not connection.savepoint_ids:  # not inside another transaction
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SET LOCAL statement_timeout = 0")
        if alone and not _is_first(cursor):
            raise BeingVerified
        for known in all_invariants():
            progress(known)
            cursor.execute(f"SELECT * FROM ({known.sql}) violations LIMIT {SAMPLE}")
            if rows := cursor.fetchall():
                violations.append(Violation(known, rows))
    return violations


def _is_first(cursor: Any) -> bool:
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
    return bool(cursor.fetchone()[0])
