"""How the staff admin shows values, in lists and on detail pages."""

import json
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import orjson
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.db.models import Model
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from accounts.base.ids import IdField
from accounts.models import Environment
from gateway.staff.kit.names import translated

Column = Callable[[Any], Any]
Title = str | Promise


class InWords(NamedTuple):
    """A value and its word: a label is colored by the value, and a field shows the word."""

    value: str
    word: str | Promise

    def __str__(self) -> str:
        return str(self.word)


Colored = InWords | str

EMPTY = "-"
ENVIRONMENT_COLORS = {Environment.PRODUCTION: "primary", Environment.SANDBOX: "warning"}


def or_empty(text: object) -> object:
    """For columns of texts that may be empty."""
    return text or EMPTY


def column(name: str, show: Callable[[Any], Any], title: Title = "") -> Column:
    """A column that renders `row.name`."""

    def shown(row: Any) -> Any:
        value = getattr(row, name)
        return EMPTY if value is None else show(value)

    return titled(shown, name, title)


def titled(shown: Column, name: str, title: Title = "", **options: Any) -> Column:
    """A function of a record as a column titled like its field `name`."""
    made: Any = display(description=translated(title or name.replace("_", " ")), **options)(shown)
    made.shows = name
    made.__name__ = f"column_{name}"  # by this name the admin looks for a field, and shows its help text
    return made  # type: ignore[no-any-return]


def exported(made: Any, **values: Callable[[Any], Any]) -> Column:
    """A column with these values in exports: each its own column, with its name after the title."""
    made.exports = tuple((translated(name) if name != "itself" else "", value) for name, value in values.items())
    return made  # type: ignore[no-any-return]


def moment(name: str, title: Title = "") -> Column:
    """A time in UTC, to the second, comparable with logs."""
    shown = column(name, lambda value: _time(f"{value:%Y-%m-%d}", f"{value:%H:%M:%S}Z"), title)
    return exported(shown, UTC=lambda row: getattr(row, name))


def day(name: str, title: Title = "") -> Column:
    """A date, in one piece."""
    return exported(
        column(name, lambda value: unbroken(value.isoformat()), title), itself=lambda row: getattr(row, name)
    )


def related(name: str, title: Title = "") -> Column:
    """The record of a foreign key, as a link."""
    return _as_link(column(name, link, title))


def named(name: str, title: Title = "") -> Column:
    """The record with the public id in the field, of any type, as a link."""
    return _as_link(column(name, link_to_id, title))


def _as_link(shown: Any) -> Column:
    shown.is_link = True
    return shown  # type: ignore[no-any-return]


def pretty(name: str, title: Title = "") -> Column:
    """A JSON field, indented."""
    return column(name, lambda value: block(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()), title)


def colored(name: str, **colors: str) -> Column:
    """A choice in words, colored by its value: success, warning, danger or info. Exports have the value."""

    def shown(row: Any) -> Colored:
        value, in_words = getattr(row, name), getattr(row, f"get_{name}_display", None)
        return InWords(value, in_words().partition(":")[0]) if value and in_words else value

    return exported(titled(shown, name, label=defaultdict(str, colors)), itself=lambda row: getattr(row, name))


def _company(row: Any) -> Any:
    merchant = row.merchant
    return EMPTY if merchant is None else anchor(address(type(merchant), "change", merchant.pk), merchant.company)


def _environment(row: Any) -> Any:
    return row.merchant and InWords(row.merchant.environment, row.merchant.get_environment_display())


OF_MERCHANT = (
    _as_link(titled(_company, "merchant", "company")),
    titled(_environment, "merchant", "environment", label=ENVIRONMENT_COLORS),
)
"""Whose a record is, and whether it is about real money. The list joins `merchant__company`."""


def unbroken(text: str) -> SafeString:
    return format_html('<span class="whitespace-nowrap">{}</span>', text)


def _time(day: str, time: str) -> SafeString:
    """In one piece, or on a narrow screen in two."""
    return format_html('<span class="whitespace-nowrap staff-time">{} {}</span>', day, time)


def block(text: str) -> SafeString:
    return format_html('<pre class="staff-block">{}</pre>', text)


def pretty_json(body: bytes) -> SafeString:
    """JSON with exactly the original digits."""
    value = json.loads(body, parse_float=orjson.Fragment)
    return block(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def link(record: Model) -> SafeString | str:
    """A link to the record's page; only its name if there is none."""
    if not admin.site.is_registered(type(record)):
        return str(record)
    return anchor(address(type(record), "change", record.pk), record)


def link_to_id(public_id: str) -> SafeString | str:
    """A link by id prefix; only the id if there is no page."""
    for model in admin.site._registry:
        key = model._meta.pk
        if isinstance(key, IdField) and public_id.startswith(f"{key.prefix}_"):
            return anchor(address(model, "change", public_id), public_id)
    return public_id


def address(model: type[Model], page: str, pk: Any = None) -> str:
    """The URL of a model's page: "changelist", or "change" of one record."""
    return _list_address(model, page) if pk is None else reverse(_name(model, page), args=(in_address(model, pk),))


def in_address(model: type[Model], pk: Any) -> str:
    """A record's key in URLs. Our ids are written as they are, not as Django quotes them (`pay_5F01…`)."""
    return str(pk) if isinstance(model._meta.pk, IdField) else quote(pk)


@cache
def _list_address(model: type[Model], page: str) -> str:
    """Every page of the admin links every list."""
    return reverse(_name(model, page))


def _name(model: type[Model], page: str) -> str:
    return f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}"


def anchor(where: str, text: Any) -> SafeString:
    return format_html('<a class="text-link" href="{}">{}</a>', where, text)
