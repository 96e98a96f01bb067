"""Page-numbered collections (contract §2.8)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, TypeVar

from django.db.models import Model, QuerySet
from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from accounts.base.errors import Refusal
from gateway.api.errors import InvalidPagination
from gateway.api.inputs.fields import Input, wrong

M = TypeVar("M", bound=Model)
MAX_DIGITS = 9


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
        return self.model_dump(exclude={"page_number", "page_size"}, exclude_none=True)


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


def page_of(rows: QuerySet[M], query: Paged, payload: Callable[[M], Any]) -> ResultPage:
    """The page that the query selects; past the end it is empty."""
    start = (query.page_number - 1) * query.page_size
    items = [payload(row) for row in rows[start : start + query.page_size]]
    return ResultPage(items, query.page_number, query.page_size, rows.count())
