"""Lists, newest first, and their sums."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Model, Q, QuerySet

M = TypeVar("M", bound=Model)


def newest(rows: QuerySet[M], created_from: datetime | None = None, created_to: datetime | None = None) -> QuerySet[M]:
    """The rows created in a period, newest first; `created_to` is exclusive, None means no limit."""
    if created_from:
        rows = rows.filter(created_at__gte=created_from)
    if created_to:
        rows = rows.filter(created_at__lt=created_to)
    return rows.order_by("-created_at", "-id")


def narrowed(
    rows: QuerySet[M], *, created_from: datetime | None = None, created_to: datetime | None = None, **equal_to: Any
) -> QuerySet[M]:
    """Newest first, those with these whole values; None is no limit."""
    return newest(rows.filter(**{k: v for k, v in equal_to.items() if v is not None}), created_from, created_to)


def ordered_by(rows: QuerySet[Any]) -> list[str]:
    """The columns that order a list."""
    return [str(name).removeprefix("-") for name in rows.query.order_by]


def following(rows: QuerySet[M], place: Sequence[Any], *, back: bool = False) -> QuerySet[M]:
    """The rows after a position, or before it, in a list ordered by non-null columns, all in one direction, the last of
    them unique. The first column is also compared alone, so that an index is used.
    """
    names = ordered_by(rows)
    than = "lt" if str(rows.query.order_by[0]).startswith("-") != back else "gt"
    wanted, equal = Q(), Q()
    for name, value in zip(names, place, strict=True):
        wanted |= equal & Q(**{f"{name}__{than}": value})
        equal &= Q(**{name: value})
    return rows.filter(Q(**{f"{names[0]}__{than}e": place[0]}) & wanted)


SUMMED = 100_000
"""At most as many rows of a list are added up."""


@dataclass(frozen=True, slots=True)
class ListSums:
    """The number of rows of a list and their amounts by currency, in minor units; `more`: there are more than these."""

    count: int
    amounts: dict[str, int]
    more: bool


def sums(rows: QuerySet[M], most: int = SUMMED) -> ListSums:
    """Of a list whose rows have a `currency` and an `amount`."""
    found = grouped(rows, "currency", most=most)
    count = sum(number for _, number, _ in found)
    return ListSums(min(count, most), {currency: amount for currency, _, amount in found}, more=count > most)


def grouped(rows: QuerySet[M], *names: str, most: int = SUMMED) -> list[tuple[Any, ...]]:
    """The number and the amount of rows by the values of these columns. Reads one row more than `most`, if there is."""
    limited = rows.order_by().values(*names, "amount")[: most + 1]
    return list(_grouped(limited, ", ".join(names)))


def _grouped(limited: QuerySet[Any, Any], names: str) -> Iterator[tuple[Any, ...]]:
    with suppress(EmptyResultSet), connection.cursor() as cursor:
        sql, params = limited.query.sql_with_params()
        cursor.execute(f"SELECT {names}, count(*), sum(amount)::bigint FROM ({sql}) listed GROUP BY {names}", params)
        yield from cursor.fetchall()
