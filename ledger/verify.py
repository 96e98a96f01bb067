"""Proof that the books are right: every invariant is a question to the database whose answer must be empty."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

SAMPLE = 20


@dataclass(frozen=True, slots=True)
class Invariant:
    """`sql` returns one row for each counterexample."""

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
    """Adds a claim to what `verify` proves. Rooms above the ledger add theirs."""
    assert number not in _invariants, number
    _invariants[number] = Invariant(number, claim, sql)
    return _invariants[number]


def all_invariants() -> list[Invariant]:
    return sorted(_invariants.values(), key=lambda known: (len(known.number), known.number))


def verify(progress: Callable[[Invariant], None] = lambda known: None) -> list[Violation]:
    """Checks every invariant in one snapshot; an empty list is the proof. At most 20 counterexamples of each."""
    violations = []
    with transaction.atomic(), connection.cursor() as cursor:
        if not connection.savepoint_ids:  # not inside somebody else's transaction
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SET LOCAL statement_timeout = 0")
        for known in all_invariants():
            progress(known)
            cursor.execute(f"SELECT * FROM ({known.sql}) violations LIMIT {SAMPLE}")
            if rows := cursor.fetchall():
                violations.append(Violation(known, rows))
    return violations
