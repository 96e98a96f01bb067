"""Template filters of the pages about payment links."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from gateway.dashboard.payment_links.detail import amount_of
from gateway.dashboard.payment_links.words import STATUS
from gateway.payment_links.models import PaymentLink

register = template.Library()


@register.filter
def link_status(code: str) -> SafeString:
    """The status as a badge."""
    word, color = STATUS[code]
    return format_html('<span class="badge bg-{}-lt">{}</span>', color, word)


@register.filter
def link_amount(link: PaymentLink) -> str:
    return amount_of(link)


@register.filter
def being_paid(link: PaymentLink) -> int:
    """Payments that have begun and are not paid yet."""
    return link.taken - link.paid  # type: ignore[attr-defined, no-any-return]
