"""Page-numbered collections (contract §2.8)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, TypeVar

from django.db.models import Model, QuerySet
from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from accounts.base.errors import Fault, Refusal
from accounts.base.listing import following, ordered_by
from gateway.api.errors import InvalidPagination
from gateway.api.inputs.fields import Input, Text, wrong

M = TypeVar("M", bound=Model)
MAX_DIGITS = 9
READ_OVER = 1_000
"""So many rows before a page are read rather than asked for their ids first."""


def _whole(text: Any) -> int:
    if isinstance(text, int):
        return text
    if not (isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise wrong("INVALID", "Must be a whole number.")
    return int(text)


class Paged(Input):
    """The query of every collection."""

    codes: ClassVar[dict[str, type[Refusal]]] = {
        "pageNumber": InvalidPagination,
        "pageSize": InvalidPagination,
    }

    page_number: Annotated[int, BeforeValidator(_whole), Field(ge=1, description="First page: 1")] = 1
    page_size: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=100, description="Items a page")] = 20


class ListQuery(Paged):
    """The query of a collection with filters; unknown ones are ignored."""

    def filters(self) -> dict[str, Any]:
        """The filters without the page."""
        return self.model_dump(exclude=_PAGE, exclude_none=True)


_PAGE = {"page_number", "page_size", "last_seen"}


class LongListQuery(ListQuery):
    """The query of a collection without a limit: it can also be read on from an object, however long it is."""

    codes: ClassVar[dict[str, type[Refusal]]] = Paged.codes | {"after": InvalidPagination}

    last_seen: Annotated[
        Text | None,
        Field(alias="after", max_length=40, description="Pages begin after the object with this id"),
    ] = None


class Pagination(TypedDict):
    """The page, and the total number of items."""

    pageNumber: Annotated[int, Field(ge=1)]
    pageSize: Annotated[int, Field(ge=1, le=100)]
    total: Annotated[int, Field(ge=0)]
    totalAvailable: Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class ResultPage:
    """One page of payloads. `totals` are further members next to `data`."""

    items: list[Any]
    number: int
    size: int
    available: int
    totals: dict[str, Any] = field(default_factory=dict)

    @property
    def pagination(self) -> Pagination:
        return {
            "pageNumber": self.number,
            "pageSize": self.size,
            "total": len(self.items),
            "totalAvailable": self.available,
        }


def page_of(
    rows: QuerySet[M],
    query: Paged,
    payload: Callable[[M], Any],
    *,
    whole: QuerySet[M] | None = None,
    available: int | None = None,
) -> ResultPage:
    """The page that the query selects; past the end it is empty.

    `available` is the number of rows, for whoever knows it without counting. `whole` is the list without filters, in
    which `after` is found. Raises ONP400_PAGINATION if it is not.
    """
    available = rows.count() if available is None else available
    start = (query.page_number - 1) * query.page_size
    if whole is not None and isinstance(query, LongListQuery) and query.last_seen is not None:
        found = _rows(_after(rows, whole, query.last_seen), start, start + query.page_size)
    elif start <= max(READ_OVER, available // 2):
        found = _rows(rows, start, min(start + query.page_size, available))
    else:
        found = rows.filter(pk__in=_last_ids(rows, start, query.page_size, available))
    return ResultPage([payload(row) for row in found], query.page_number, query.page_size, available)


def _rows(rows: QuerySet[M], start: int, end: int) -> QuerySet[M]:
    """These of them. Many are skipped in an index, without being read."""
    if start <= READ_OVER:
        return rows[start:end] if start < end else rows.none()
    return rows.filter(pk__in=list(rows.values_list("pk", flat=True)[start:end]))


def _last_ids(rows: QuerySet[Any], start: int, size: int, available: int) -> list[Any]:
    """Skipped to from the end of the list."""
    end = min(start + size, available)
    return list(rows.values_list("pk", flat=True).reverse()[available - end : available - start]) if start < end else []


def _after(rows: QuerySet[M], whole: QuerySet[M], last_seen: str) -> QuerySet[M]:
    """The rows after this one, which may have left the filtered list since it was seen."""
    place = whole.filter(pk=last_seen).values_list(*ordered_by(rows)).first()
    if place is None:
        raise InvalidPagination(faults=[Fault("after", "INVALID", "Must be the id of an object of this list.")])
    return following(rows, place)
