"""Template tags of readiness checks."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.roles import May
from gateway.dashboard.readiness.words import GRADE
from gateway.dashboard.templatetags.developers import object_link
from gateway.readiness.models import ReadinessCheck

register = template.Library()


@register.filter
def grade(letter: str) -> SafeString:
    return format_html('<span class="badge bg-{}-lt status">{}</span>', GRADE[letter], letter)


@register.simple_tag(takes_context=True)
def evidence_link(context: Any, check: ReadinessCheck, object_id: str) -> SafeString | str:
    """A request, payment or delivery; the page of a delivery is below that of the endpoint, and is gone with it."""
    here, is_gone = context["here"], check.endpoint.deleted_at is not None
    if object_id.startswith("dlv_") and here.may(May.READ_TECHNICAL) and not is_gone:
        address = here.to("delivery", check.endpoint_id, object_id)
        return format_html('<a href="{}"><code>{}</code></a>', address, object_id)
    return object_link(context, object_id)
