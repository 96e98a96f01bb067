"""Template tags of the receivable pages: days and choices."""

from datetime import date
from typing import Any

from babel.dates import format_date
from django import template
from django.utils import translation

from gateway.dashboard.receivables.list import can_be_advanced as _can_be_advanced
from ledger.receivables.models import Receivable

register = template.Library()


@register.filter
def can_be_advanced(row: Receivable, here: Any) -> bool:
    return _can_be_advanced(row, here)


@register.filter
def weekday(day: date) -> str:
    """The short name of the weekday, without a period."""
    return format_date(day, "ccc", locale=translation.to_locale(translation.get_language() or "en")).rstrip(".")
