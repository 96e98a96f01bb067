"""Tables in one test: what a test needs is made once, and each row finds it untouched."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import connection, transaction

from tests.support.books import violations

MANY = dict.fromkeys(settings.RATE_LIMITS, 10**6)
"""So many calls come from one address here."""


def rows(
    names: str | tuple[str, ...], table: Iterable[Any], *, undo: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like `parametrize`, in one test: each row that fails is reported, with what it was.

    Whatever a row writes is undone, after the books were proved. Objects in memory are shared by all rows.
    `undo=False`: the test itself sees at its end that no row has written anything.
    """
    members = (names,) if isinstance(names, str) else names
    cases = [dict(zip(members, _values(row, len(members)), strict=True)) for row in table]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        wanted = inspect.signature(test)

        @wraps(test)
        def every_row(subtests: pytest.Subtests, **fixtures: Any) -> None:
            if "subtests" in wanted.parameters:  # rows of rows
                fixtures["subtests"] = subtests
            for case in cases:
                with (
                    # In place: settings that a row overrides outlive it until the test ends.
                    patch.dict(settings.RATE_LIMITS, MANY),
                    subtests.test(**{name: repr(value) for name, value in case.items()}),
                    _undone(undo),
                ):
                    test(**fixtures, **case)

        left = [parameter for name, parameter in wanted.parameters.items() if name not in (*members, "subtests")]
        own = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        every_row.__signature__ = wanted.replace(  # type: ignore[attr-defined]
            parameters=[*(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in left), own]
        )
        return every_row

    return decorate


def _values(row: Any, count: int) -> tuple[Any, ...]:
    given = row.values if isinstance(row, type(pytest.param())) else row if count > 1 else (row,)
    return tuple(given)


@contextmanager
def _undone(undo: bool) -> Iterator[None]:
    """A savepoint that is given up, where the test has a database at all."""
    if not undo or not connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        yield
        assert violations() == []
        transaction.set_rollback(True)
