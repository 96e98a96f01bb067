"""The columns of bulk files, known by their titles in every language and by the members of the API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from django import forms
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from pydantic.alias_generators import to_camel

from gateway.dashboard.withdrawals.ways import WAYS
from gateway.dashboard.withdrawals.words import Said

REFUNDS = "refunds"
_INFERRED = ("pix_key_type",)
"""Required in the form of one withdrawal; in a file the key alone tells."""


@dataclass(frozen=True)
class Column:
    """A column; `choices` are its codes with their labels, if it has a list."""

    name: str
    title: Said
    is_required: bool = True
    choices: Mapping[str, Said] = field(default_factory=dict)
    is_text: bool = True


@cache
def columns_of(way: str) -> tuple[Column, ...]:
    """The columns of the withdrawals over a way, or of refunds, in the order of the template."""
    if way == REFUNDS:
        return _REFUNDS
    fields = WAYS[way].form.base_fields
    destination = [name for name in fields if name not in ("once", "amount", "reference")]
    return tuple(_column(name, fields[name]) for name in (*destination, "amount", "reference"))


def _column(name: str, shown: forms.Field) -> Column:
    choices = {code: label for code, label in getattr(shown, "choices", ()) if code}
    return Column(
        name, shown.label or name, shown.required and name not in _INFERRED, choices, is_text=name != "amount"
    )


_REFUNDS = (
    Column("payment_id", _("Payment")),
    Column("amount", _("Amount"), is_required=False, is_text=False),
    Column("reason", _("Reason"), is_required=False),
    Column("reference", _("Reference"), is_required=False),
)


@cache
def _names(way: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for column in columns_of(way):
        titles = {column.name, to_camel(column.name), *_in_every_language(column.title)}
        found |= {_bare(title): column.name for title in titles}
    return found


def column_named(way: str, title: str) -> Column | None:
    """The column with this title or name, in any of our languages."""
    name = _names(way).get(_bare(title))
    return next((column for column in columns_of(way) if column.name == name), None)


@cache
def _codes(column: tuple[str, str]) -> dict[str, str]:
    way, name = column
    choices = next(one.choices for one in columns_of(way) if one.name == name)
    return {_bare(text): code for code, label in choices.items() for text in (code, *_in_every_language(label))}


def code_of(way: str, column: Column, text: str) -> str:
    """The code that a text means in a column with a list; other texts as they are."""
    return _codes((way, column.name)).get(_bare(text), text) if column.choices else text


def _in_every_language(text: Said) -> Sequence[str]:
    found = []
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found.append(str(text))
    return found


def _bare(title: str) -> str:
    """Without the marks that a template adds and people change."""
    return " ".join(title.replace("*", " ").split()).casefold()
