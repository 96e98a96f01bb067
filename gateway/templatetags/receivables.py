"""How the pages of receivables show days and choices."""

from typing import Any

from django import template

from gateway.dashboard.receivables.month import can_be_advanced as _can_be_advanced
from gateway.dashboard.receivables.words import STATE_SENTENCE
from ledger.receivables.models import Receivable

register = template.Library()


@register.filter
def can_be_advanced(row: Receivable, here: Any) -> bool:
    return _can_be_advanced(row, here)


@register.filter
def state_sentence(state: str) -> Any:
    return STATE_SENTENCE[state]
