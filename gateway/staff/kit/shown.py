"""What the columns of a list show of a record. Labels and icons are drawn once."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.db.models import BooleanField
from django.utils.translation import get_language
from unfold.utils import display_for_field, display_for_label, display_for_value

from gateway.staff.kit.columns import EMPTY

Shown = Callable[[Any], Any]


def shown_in(page: Any, name: Any) -> Shown:
    """What this column of the page's list shows of a record, as HTML or text."""
    if name == "__str__":
        return str
    if not callable(name) and not hasattr(page, name):
        return _field_in(page.opts.get_field(name))
    read = name if callable(name) else getattr(page, name)
    colors = getattr(read, "label", None)
    if colors:
        return lambda row: _labelled(read(row), colors)
    return lambda row: display_for_value(read(row), EMPTY)


def _field_in(field: Any) -> Shown:
    name, language = field.name, get_language()
    if words := {value: str(word) for value, word in field.flatchoices}:
        return lambda row: words.get(getattr(row, name), EMPTY)
    if isinstance(field, BooleanField):
        return lambda row: _icon(getattr(row, name), language)
    return lambda row: display_for_field(getattr(row, name), field, EMPTY)


def _labelled(value: Any, colors: dict[str, str]) -> Any:
    """Of a value and its word the word, in the color of the value."""
    of, word = value if isinstance(value, tuple) else (value, value)
    return _label(str(word or ""), colors.get(of, ""))


@lru_cache(1000)
def _label(word: str, color: str) -> Any:
    return display_for_label((color, word), EMPTY, {color: color})


@lru_cache(50)
def _icon(value: bool | None, _language: str) -> Any:
    return display_for_field(value, BooleanField(null=True), EMPTY)
