"""In which cell this thread works: a schema of PostgreSQL with the payments, books and events of some merchants.

Statements name their tables without a schema, so that each of them works in the cell that is open. Companies, people,
keys and rules are in `public`, which every cell sees. `public` is itself the first cell: where there is no other,
nothing here costs a round trip.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from django.db import connection

T = TypeVar("T")

FIRST = ""
"""The name of the cell that every installation has: `public`."""
ALL = "cells"
"""The name of a schema with a view of each table in cells, over all of them: to look at, not to write or to lock."""
NAME = re.compile(r"cell_[0-9]{2,4}")
_opened: ContextVar[str] = ContextVar("cell", default=FIRST)
_resting: frozenset[str] = frozenset()
_refused: Callable[[str, str], bool] | None = None


def current() -> str:
    """The name of the cell that is open."""
    return _opened.get()


@contextmanager
def opened(cell: str) -> Iterator[None]:
    """Statements within work in this cell, those of a transaction that has begun as well."""
    if cell == current():
        yield
        return
    assert cell in (FIRST, ALL) or NAME.fullmatch(cell), cell
    before = _opened.set(cell)
    try:
        _follow()
        yield
    finally:
        _opened.reset(before)
        _follow()


def read_here(items: Iterable[T]) -> Iterator[T]:
    """The same, each read in the cell that is open now, whenever it is asked for."""
    return _read(current(), iter(items))


def _read(cell: str, left: Iterator[T]) -> Iterator[T]:
    while True:
        with opened(cell):
            try:
                item = next(left)
            except StopIteration:
                return
        yield item


def resting() -> frozenset[str]:
    """The cells whose node does not answer, as this process knows it."""
    return _resting


def rest(names: Iterable[str], refused: Callable[[str, str], bool]) -> None:
    """Lets these cells rest, and no others. `refused`: whether a statement, in the cell that is open, would wait for
    them all the same.
    """
    global _resting, _refused
    _resting, _refused = frozenset(names), refused


def is_refused(statement: str) -> bool:
    """Whether the statement would wait for a cell that rests."""
    if not _resting:
        return False
    return current() in _resting or (_refused is not None and _refused(current(), statement))


def sees(cell: str, *, kept: bool = False) -> str:
    """The statement after which the rest of a transaction works in the cell; `kept`: the connection, until it is told
    otherwise.
    """
    scope = "SESSION" if kept else "LOCAL"
    return f"SET {scope} search_path = {cell}, public" if cell else f"SET {scope} search_path TO DEFAULT"


def is_seen(cell: str) -> str:
    """The statement that fails if a cell is not there, or not open to this role: PostgreSQL would show the tables of
    `public` instead. It follows that of `sees`.
    """
    name = f"quote_ident('{cell}, which ' || current_user || ' would see')"
    return f"SELECT CASE WHEN current_schema() IS DISTINCT FROM '{cell}' THEN {name}::regnamespace END"


def told_apart(statement: str, cell: str) -> str:
    """The statement as it is prepared for the cell: PostgreSQL plans one again whenever it sees other tables."""
    return f"{statement} /* {cell} */" if cell else statement


def _follow() -> None:
    """Moves on with the transaction of this thread, if it has begun one that can go on."""
    connection.move_to_cell()  # type: ignore[attr-defined]
