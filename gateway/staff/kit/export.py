"""Exports of staff lists: all filtered rows, with the columns of the list."""

from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import label_for_field, lookup_field
from django.core.exceptions import SuspiciousOperation
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.utils.html import strip_tags
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from accounts import audit
from accounts.base.clock import utcnow
from accounts.base.csv_export import CsvColumn, csv_of
from gateway.database.replica import elsewhere, on_primary
from gateway.staff.kit.audited import Audited, name_of
from gateway.staff.kit.columns import EMPTY, address

MOST = 100_000
CHUNK = 500


class Exported(Audited):
    """Whoever can view a list can export it; exports are audited."""

    actions_list: ClassVar[tuple[str, ...]] = ("export",)

    def has_export_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_view_permission(request))

    @on_primary
    @action(description=_("Export"), permissions=["export"], icon="download")
    def export(self, request: HttpRequest) -> HttpResponseBase:
        rows = elsewhere(partial(self._filtered, request))
        if rows is None:
            return HttpResponseRedirect(address(self.model, "changelist"))
        if elsewhere(rows[MOST : MOST + 1].exists):
            message = gettext("The list has more than %(most)s rows. Narrow it by filters or search first.")
            self.message_user(request, message % {"most": f"{MOST:,}"}, messages.ERROR)
            return HttpResponseRedirect(f"{address(self.model, 'changelist')}?{request.GET.urlencode()}")
        name, columns = name_of(self.model), list(self._columns(request))
        exported = {"filters": dict(request.GET.lists()), "columns": [str(title) for title, _ in columns]}
        audit.record(request, f"{name}.exported", after=exported, by_staff=True)
        return csv_of(f"{name}-{utcnow():%Y-%m-%d}", columns, _in_chunks(rows))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The export button keeps the filters."""
        response = super().changelist_view(request, extra_context)
        shown = getattr(response, "context_data", None) or {}
        for button in shown.get("actions_list", ()):
            button["path"] += f"?{request.GET.urlencode()}"
        return response

    def _filtered(self, request: HttpRequest) -> QuerySet[Any] | None:
        """All filtered rows, newest first; None for invalid filters."""
        if any("\0" in value for _, values in request.GET.lists() for value in values):
            return None
        try:
            rows: QuerySet[Any] = self.get_changelist_instance(request).queryset
        except (IncorrectLookupParameters, SuspiciousOperation):
            return None
        return rows.order_by("-pk")

    def _columns(self, request: HttpRequest) -> Iterator[CsvColumn[Any]]:
        for name in self.get_list_display(request):
            title = capfirst(str(label_for_field(name, self.model, self)))
            for part, value in getattr(name, "exports", (("", self._text(name)),)):
                yield f"{title} {part}".rstrip(), value

    def _text(self, name: Any) -> Callable[[Model], Any]:
        """The cell's text without markup."""

        def text(row: Model) -> Any:
            field, _, value = lookup_field(name, row, self)
            if field is not None and field.flatchoices:
                value = dict(field.flatchoices).get(value, value)
            if isinstance(value, tuple):  # a value and its word
                value = str(value[1])
            if not isinstance(value, str):
                return value
            plain = unescape(strip_tags(value))
            return "" if plain == EMPTY else plain

        return text


def _in_chunks(rows: QuerySet[Any]) -> Iterator[list[Any]]:
    """A few hundred per statement: nothing is skipped, and no statement is long. A replica may answer each."""
    chunk = _read(rows)
    while chunk:
        yield chunk
        chunk = _read(rows.filter(pk__lt=chunk[-1].pk)) if len(chunk) == CHUNK else []


def _read(rows: QuerySet[Any]) -> list[Any]:
    return elsewhere(lambda: list(rows[:CHUNK]))
