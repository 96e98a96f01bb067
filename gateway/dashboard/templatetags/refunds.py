"""Template tags of the refund pages: kinds, reasons and time left."""

from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from gateway.dashboard.refunds.words import KIND, KIND_SENTENCE, POSTED, REASON, time_left
from gateway.refunds.inbox import kind_of
from gateway.refunds.models import Refund

register = template.Library()
SOON = timedelta(hours=24)


@register.filter
def kind(refund: Refund) -> SafeString:
    """Who requested it, through which channel."""
    title, color = KIND[kind_of(refund)]
    return format_html('<span class="badge bg-{}-lt">{}</span>', color, title)


@register.filter
def kind_sentence(refund: Refund) -> Any:
    return KIND_SENTENCE[kind_of(refund)]


@register.filter
def reason(code: str | None) -> Any:
    """The label of the reason, a dash if there is none."""
    return REASON[code][0] if code in REASON else "–"


@register.filter
def reason_sentence(code: str | None) -> Any:
    return REASON[code][1] if code in REASON else ""


@register.filter
def posting(kind: str) -> Any:
    return POSTED.get(kind, kind)


@register.filter
def left(due: datetime, now: datetime) -> SafeString:
    """The time until `due`, counted down while the page is open. `now` is the merchant's."""
    rest = due - now
    return format_html(
        '<span class="badge bg-{}-lt text-nowrap" data-left="{}">{}</span>',
        "red" if rest < SOON else "yellow",
        max(0, int(rest.total_seconds())),
        time_left(rest),
    )
