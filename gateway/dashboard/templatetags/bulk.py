"""Template filters of bulk files."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from gateway.bulk.models import BulkLine
from gateway.dashboard.bulk.detail import destination, reason
from gateway.dashboard.bulk.words import LINE_STATE

register = template.Library()


@register.filter
def goes_to(line: BulkLine) -> str:
    return destination(line)


@register.filter
def why_refused(line: BulkLine) -> str:
    return reason(line)


@register.filter
def line_state(line: BulkLine) -> SafeString:
    word, color = LINE_STATE[line.state]
    return format_html('<span class="badge bg-{}-lt align-middle">{}</span>', color, word)
