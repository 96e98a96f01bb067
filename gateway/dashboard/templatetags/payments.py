"""Template tags of the payment pages: durations, documents and digit groups."""

from datetime import timedelta
from typing import Any

from babel.dates import format_timedelta
from django import template
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString

from gateway.dashboard.templatetags.dashboard import icon
from gateway.receipts import tax_ids

register = template.Library()
_SHOWN = 6
_GROUPS = (5, 5, 5, 6, 5, 6, 1, 14)
"""Digit groups of a boleto's line, as printed."""


@register.filter
def span(value: timedelta | None) -> str:
    """A duration: milliseconds below a second, then in the largest unit."""
    if value is None:
        return "–"
    milliseconds = max(0, value // timedelta(milliseconds=1))
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    locale = translation.to_locale(translation.get_language() or "en")
    return str(format_timedelta(value, threshold=1.5, format="short", locale=locale))


@register.filter
def tax_id(number: str | None, kind: str | None = None) -> str:
    """A tax id in its country's format."""
    return tax_ids.written(number, kind) if number else "–"


@register.filter
def masked(number: str | None, kind: str | None = None) -> str:
    """Only characters of the middle."""
    return tax_ids.masked(number, kind) if number else "–"


@register.filter
def grouped(line: str) -> str:
    """A boleto's 47 digits in the groups of the slip."""
    digits: list[Any] = []
    start = 0
    for size in _GROUPS:
        digits.append(line[start : start + size])
        start += size
    return " ".join(digits)


@register.filter
def shortened(public_id: str) -> SafeString:
    """An id shortened to prefix and end; copying yields all of it."""
    kind, _, rest = public_id.partition("_")
    return format_html(
        '<span class="copyable"><code title="{0}">{1}_…{2}</code><button type="button" class="btn btn-icon btn-sm"'
        ' data-copy="{0}" aria-label="{3} {0}">{4}</button></span>',
        public_id,
        kind,
        rest[-_SHOWN:],
        translation.gettext("Copy"),
        icon("copy"),
    )
