"""How the pages of receivables show days and choices."""

from typing import Any

from django import template

from gateway.dashboard.receivables.month import can_be_advanced as _can_be_advanced
from ledger.receivables.models import Receivable

register = template.Library()


@register.filter
def can_be_advanced(row: Receivable, here: Any) -> bool:
    return _can_be_advanced(row, here)
