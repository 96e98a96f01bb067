"""Related records, in lists below a record."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.utils import label_for_field
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst

from gateway.staff.kit.columns import address, anchor
from gateway.staff.kit.shown import shown_in

RELATED_ROWS = 5
SAID_BY_THE_ID = frozenset({"merchant", "reference", "object_id"})


class Related(NamedTuple):
    """Records that belong to another, the filter of their own list, and the columns that link back."""

    title: str
    rows: QuerySet[Any]
    narrowed_by: dict[str, Any]
    the_same_in_all: frozenset[str]

    @classmethod
    def found_by(
        cls, record: Model, *found: QuerySet[Any], the_same: frozenset[str] = SAID_BY_THE_ID
    ) -> Iterable["Related"]:
        """Lists that searching for the record's id narrows to these rows."""
        for rows in found:
            yield cls(plural(rows.model), rows, {"q": record.pk}, the_same)

    def table(self, request: HttpRequest) -> dict[str, Any] | None:
        """The newest rows in the columns of their own list; None without rows or permission."""
        model = self.rows.model
        page: Any = admin.site._registry[model]
        if not page.has_view_permission(request):
            return None
        keys = [*self.rows.order_by("-pk").values_list("pk", flat=True)[: RELATED_ROWS + 1]]
        if not keys:
            return None
        listed = page.get_queryset(request).filter(pk__in=keys).order_by("-pk")  # with what its columns need
        newest = list(listed.select_related(*page.list_select_related) if page.list_select_related else listed)
        names = [
            name for name in page.get_list_display(request) if getattr(name, "shows", name) not in self.the_same_in_all
        ]
        everything = f"{address(model, 'changelist')}?{urlencode(self.narrowed_by)}"
        return {
            "title": self.title,
            "headers": [label_for_field(name, model, page) for name in names],
            "rows": list(_rows(page, names, newest[:RELATED_ROWS])),
            "everything": everything if len(newest) > RELATED_ROWS else None,
        }


def plural(model: type[Model]) -> str:
    return capfirst(str(model._meta.verbose_name_plural))


def _rows(page: Any, names: Sequence[Any], listed: Iterable[Model]) -> Iterator[list[Any]]:
    """The first cell without a link links to the record."""
    columns = [shown_in(page, name) for name in names]
    opens = next(number for number, name in enumerate(names) if not getattr(name, "is_link", False))
    for row in listed:
        cells = [shown(row) for shown in columns]
        cells[opens] = anchor(address(type(row), "change", row.pk), cells[opens])
        yield cells
