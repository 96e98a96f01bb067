"""What the pages of the staff admin share: each record is read with its relations and found by any of its ids."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import orjson
from django.contrib import admin
from django.contrib.admin.options import ShowFacets
from django.contrib.admin.utils import flatten_fieldsets, label_for_field, lookup_field, quote
from django.core.exceptions import PermissionDenied
from django.db.models import ForeignKey, Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from simple_history.admin import SimpleHistoryAdmin
from unfold.admin import ModelAdmin
from unfold.dataclasses import SearchResult
from unfold.decorators import display
from unfold.paginator import InfinitePaginator
from unfold.utils import display_for_field, display_for_value

from accounts.ids import IdField

Column = Callable[[Any], Any]
Ids = Mapping[str, str | Callable[[str], Q]]
Words = Mapping[str, Callable[[str], Any]]

EMPTY = "-"
RELATED_ROWS = 10
FOUND_PER_MODEL = 5
_ID = re.compile(r"([a-z]{3,4})_([0-9a-z]{1,35})", re.IGNORECASE)
_ULID = re.compile(r"[0-7][0-9a-hjkmnp-tv-z]{25}", re.IGNORECASE)


# ── Columns ───────────────────────────────────────────────────────────────────────────────────────────────────────
def column(name: str, show: Callable[[Any], Any], title: str = "") -> Column:
    """A column that shows `row.name` in its own way."""

    @display(description=title or name.replace("_", " "))  # type: ignore[untyped-decorator]
    def shown(row: Any) -> Any:
        value = getattr(row, name)
        return EMPTY if value is None else show(value)

    return shown  # type: ignore[no-any-return]


def moment(name: str, title: str = "") -> Column:
    """A time to the second: support compares it with logs."""
    return column(name, lambda value: f"{value:%Y-%m-%d %H:%M:%S} UTC", title)


def related(name: str, title: str = "") -> Column:
    """The record at the other end of a foreign key, as a link."""
    return column(name, link, title)


def named(name: str, title: str = "") -> Column:
    """The record whose public id is in the field, whatever it is, as a link."""
    return column(name, lambda public_id: _link_to_id(public_id) or public_id, title)


def pretty(name: str, title: str = "") -> Column:
    """JSON, as it would be read aloud."""
    return column(name, lambda value: block(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()), title)


def colored(name: str, **colors: str) -> Column:
    """A choice, in the colour of its value: success, warning, danger or info."""

    @display(description=name, label=colors)  # type: ignore[untyped-decorator]
    def shown(row: Any) -> tuple[str, str]:
        value = getattr(row, name)
        return value, value

    return shown  # type: ignore[no-any-return]


def block(text: str) -> SafeString:
    return format_html('<pre class="staff-block">{}</pre>', text)


def pretty_json(body: bytes) -> SafeString:
    """JSON with exactly the digits it was written with."""
    value = json.loads(body, parse_float=orjson.Fragment)
    return block(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def link(record: Model) -> str | SafeString:
    """To the page of the record; its name alone where it has none."""
    if not admin.site.is_registered(type(record)):
        return str(record)
    return format_html('<a class="text-link" href="{}">{}</a>', address(record._meta, "change", record.pk), record)


def address(options: Any, page: str, pk: Any = None) -> str:
    """Where a page of a model is: its "changelist", or the "change" page of one record."""
    return reverse(f"admin:{options.app_label}_{options.model_name}_{page}", args=() if pk is None else (quote(pk),))


def _link_to_id(public_id: str) -> SafeString | None:
    for model in admin.site._registry:
        key = model._meta.pk
        if isinstance(key, IdField) and public_id.startswith(f"{key.prefix}_"):
            where = address(model._meta, "change", public_id)
            return format_html('<a class="text-link" href="{}">{}</a>', where, public_id)
    return None


# ── Pages ─────────────────────────────────────────────────────────────────────────────────────────────────────────
class StaffAdmin(ModelAdmin):  # type: ignore[misc]
    """The base of every page.

    `ids` says which lookup a public id leads to, by its prefix; the own id needs no mention. `words` are the lookups
    tried with anything else, each with what makes a value of the term (ValueError: it cannot be one). They compare
    whole values, so that indexes answer. `listed_at` names the foreign keys at whose other end these records are
    listed: the records there need not know.
    """

    ids: ClassVar[Ids] = {}
    words: ClassVar[Words] = {}
    listed_at: ClassVar[tuple[str, ...]] = ()

    ordering: Any = ("-pk",)
    list_per_page = 50
    show_full_result_count = False  # nothing here ever counts a table
    show_facets = ShowFacets.NEVER
    paginator = InfinitePaginator
    sortable_by: Any = ()  # the order of the primary key costs nothing
    change_form_outer_after_template = "admin/related.html"

    # Searching
    def get_search_fields(self, request: HttpRequest) -> list[str]:
        return ["pk", *self.words]

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        return (queryset.filter(self._matching(term)) if term else queryset), False

    def _matching(self, term: str) -> Q:
        """One subquery for each way to read the term: an OR over several tables would use no index."""
        readings = [*self._read_as_id(term), *self._read_as_words(term)] if "\0" not in term else []
        if len(readings) < 2:
            return readings[0] if readings else Q(pk__in=[])
        found = [self.model._base_manager.filter(reading).order_by().values("pk") for reading in readings]
        return Q(pk__in=found[0].union(*found[1:], all=True))

    def _read_as_id(self, term: str) -> Iterable[Q]:
        key = self.model._meta.pk
        own_prefix = key.prefix if isinstance(key, IdField) else None
        if match := _ID.fullmatch(term):
            prefix, public_id = match[1].lower(), f"{match[1].lower()}_{match[2].upper()}"
            if prefix == own_prefix:
                yield Q(pk__gte=public_id, pk__lt=f"{public_id}~")  # the beginning of an id will do
            elif lookup := self.ids.get(prefix):
                yield lookup(public_id) if callable(lookup) else Q(**{lookup: public_id})
        elif own_prefix and _ULID.fullmatch(term):
            yield Q(pk=f"{own_prefix}_{term.upper()}")

    def _read_as_words(self, term: str) -> Iterable[Q]:
        for lookup, value_of in self.words.items():
            try:
                yield Q(**{lookup: value_of(term)})
            except ValueError:
                continue

    # Related records
    def related_to(self, record: Any) -> Iterable[tuple[str, QuerySet[Any]]]:
        """Lists shown below the record: those that name it in `listed_at`. A page may add its own."""
        for model, page in admin.site._registry.items():
            for name in getattr(page, "listed_at", ()):
                if isinstance(record, model._meta.get_field(name).related_model):  # type: ignore[arg-type]
                    title = str(model._meta.verbose_name_plural).capitalize()
                    yield title, model._default_manager.filter(**{name: record.pk})

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        record = kwargs.get("obj")
        if record is not None:
            tables = [_table(request, title, rows, record) for title, rows in self.related_to(record)]
            context["related"] = [table for table in tables if table]
        return super().render_change_form(request, context, *args, **kwargs)  # type: ignore[no-any-return]

    # Reading
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return flatten_fieldsets(self.get_fieldsets(request, obj))
        return super().get_readonly_fields(request, obj)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        return None if "\0" in object_id else super().get_object(request, object_id, from_field)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if any("\0" in value for values in request.GET.lists() for value in values[1]):
            return HttpResponseRedirect(request.path)
        return super().changelist_view(request, extra_context)  # type: ignore[no-any-return]


class ReadOnlyAdmin(StaffAdmin):
    """Records that nobody edits, whoever they are: only the services write them."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class RecordedAdmin(SimpleHistoryAdmin, StaffAdmin):
    """Records that staff change, with what they were before. An old state can be read, never written back."""

    def revert_disabled(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        reads_the_past = str(request.resolver_match and request.resolver_match.url_name).endswith("_simple_history")
        return not reads_the_past and bool(super().has_change_permission(request, obj))

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        if "\0" in object_id:
            raise Http404
        return super().history_view(request, object_id, extra_context)  # type: ignore[no-any-return]

    def history_form_view(
        self, request: HttpRequest, object_id: str, version_id: str, extra_context: Any = None
    ) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        if "\0" in object_id or not version_id.isdecimal():
            raise Http404
        return super().history_form_view(request, object_id, version_id, extra_context)  # type: ignore[no-any-return]

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field:
            field.show_hidden_initial = True
        return field

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Writes only what this person has changed: what changed meanwhile stays."""
        if change:
            self.save_changed(self.changed(obj, form), form.changed_data)
        else:
            super().save_model(request, obj, form, change)

    def changed(self, obj: Any, form: Any) -> Any:
        """The record as it is now, held until the transaction ends, with the changes of the form."""
        current = self.model._base_manager.select_for_update().get(pk=obj.pk)
        for name in form.changed_data:
            setattr(current, name, getattr(obj, name))
        return current

    def save_changed(self, current: Any, names: list[str]) -> None:
        current.save()


def _table(request: HttpRequest, title: str, rows: QuerySet[Any], beside: Any) -> dict[str, Any] | None:
    """The newest rows in the columns of their own list; None where there are none, or nobody may see them."""
    model = rows.model
    page: Any = admin.site._registry[model]
    if not page.has_view_permission(request):
        return None
    newest = list(page.get_queryset(request).filter(pk__in=rows.values("pk")).order_by("-pk")[: RELATED_ROWS + 1])
    if not newest:
        return None
    names = page.get_list_display(request)
    return {
        "title": title,
        "headers": [label_for_field(name, model, page) for name in names],
        "rows": [[_cell(page, row, name) for name in names] for row in newest[:RELATED_ROWS]],
    }


def _cell(page: Any, row: Any, name: Any) -> Any:
    field, _, value = lookup_field(name, row, page)
    if field is None:
        return value[-1] if isinstance(value, tuple) else display_for_value(value, EMPTY)
    if field.primary_key:
        return format_html('<a class="text-link" href="{}">{}</a>', address(row._meta, "change", row.pk), value)
    return link(value) if isinstance(field, ForeignKey) and value else display_for_field(value, field, EMPTY)


def find(request: HttpRequest, term: str) -> list[SearchResult]:
    """What the search box of the whole admin finds: every record that this id, reference or name leads to."""
    term = request.GET.get("s", term)  # the box lowers the letters, and references know two cases
    found: list[SearchResult] = []
    for model, page in admin.site._registry.items():
        if isinstance(page, StaffAdmin) and page.has_view_permission(request):
            records, _ = page.get_search_results(request, page.get_queryset(request), term)
            kind = str(model._meta.verbose_name).capitalize()
            found += [
                SearchResult(str(record), kind, address(model._meta, "change", record.pk), "article")
                for record in records[:FOUND_PER_MODEL]
            ]
    return found
