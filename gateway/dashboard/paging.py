"""Keyset pagination of long lists: nothing is counted or skipped."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import QueryDict

from accounts.base.listing import following, ordered_by
from gateway.database.replica import elsewhere

M = TypeVar("M", bound=Model)

SIZE = 50
CHUNK = 500
_BETWEEN = "~"


@dataclass(frozen=True)
class ListPage(Generic[M]):
    """Rows of one page. `before` and `after` are link values, None at the ends."""

    rows: list[M]
    before: str | None
    after: str | None
    is_newest_first: bool

    @cached_property
    def is_whole(self) -> bool:
        return self.before is None and self.after is None


def page_of(rows: QuerySet[M], query: QueryDict, size: int = SIZE) -> ListPage[M]:
    """The page that `?after=` or `?before=` selects, else the first one.

    The list must be ordered by its own non-null columns, all in one direction, the last of them unique.
    """
    order = _Order(rows)
    after, before = order.place(query.get("after")), order.place(query.get("before"))
    if before and not after:
        found = list(following(rows, before, back=True).reverse()[: size + 1])
        shown, more = found[:size][::-1], len(found) > size
        return order.page(shown, has_before=more, has_after=True)
    found = list((following(rows, after) if after else rows)[: size + 1])
    return order.page(found[:size], has_before=after is not None, has_after=len(found) > size)


def in_chunks(rows: QuerySet[M], size: int = CHUNK) -> Iterator[list[M]]:
    """The whole list in chunks, each of which a replica may answer. Ordered as for `page_of`."""
    order = _Order(rows)
    found = _read(rows[:size])
    while found:
        yield found
        place = order.place(order.mark(found[-1])) if len(found) == size else None
        found = _read(following(rows, place)[:size]) if place else []


def _read(rows: QuerySet[M]) -> list[M]:
    return elsewhere(lambda: list(rows.all()))


class _Order:
    """The ordering columns of a list, and positions in it."""

    def __init__(self, rows: QuerySet[Any]) -> None:
        names = [str(name) for name in rows.query.order_by]
        self.descends = names[0].startswith("-")
        self.fields: list[Any] = [rows.model._meta.get_field(name) for name in ordered_by(rows)]
        assert {name.startswith("-") for name in names} == {self.descends}, "all in one direction"

    def mark(self, row: Model) -> str:
        return _BETWEEN.join(field.value_to_string(row) for field in self.fields)

    def place(self, mark: str | None) -> list[Any] | None:
        """The position of a cursor, or None if it is invalid: then the first page is shown."""
        texts = mark.split(_BETWEEN) if mark else []
        if len(texts) != len(self.fields) or "\0" in str(mark):
            return None
        try:
            return [field.to_python(text) for field, text in zip(self.fields, texts, strict=True)]
        except ValidationError:
            return None

    def page(self, rows: list[M], *, has_before: bool, has_after: bool) -> ListPage[M]:
        return ListPage(
            rows,
            before=self.mark(rows[0]) if rows and has_before else None,
            after=self.mark(rows[-1]) if rows and has_after else None,
            is_newest_first=self.descends,
        )
