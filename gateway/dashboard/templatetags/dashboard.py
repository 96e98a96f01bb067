"""Template tags of the dashboard: amounts, times, codes and icons."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from django.utils import formats, timezone, translation
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.base.wire import timestamp
from accounts.roles import May
from gateway.dashboard import navigation
from gateway.dashboard.saved_views.lists import LISTS, kept, list_of
from gateway.dashboard.support import address as support_address
from gateway.dashboard.words import METHOD, QUIET, STATUS
from gateway.payments.search import Count
from gateway.providers import asking
from gateway.providers.asking import Asked
from ledger import notation
from ledger.money import to_decimal
from ledger.notation import NONE, counted, written

register = template.Library()


@register.filter
def money(minor: int | None, currency: str) -> str:
    """Minor units in the reader's notation: "R$ 1.234,50". None is shown as a dash."""
    return NONE if minor is None else written(to_decimal(minor, currency), currency)


@register.filter
def coded(minor: int | None, currency: str) -> str:
    """Like `money`, with the currency code unless the sign is unambiguous."""
    return NONE if minor is None else written(to_decimal(minor, currency), currency, coded=True)


@register.filter
def per_cent(rate: Decimal | None) -> str:
    """A rate without trailing zeros: 2.9900 is "2.99%"."""
    return NONE if rate is None else notation.per_cent(rate)


@register.filter
def whole(count: int) -> str:
    """A count with the reader's digit grouping."""
    return counted(count)


@register.filter
def count(found: Count) -> str:
    """A count, with a plus if it is capped."""
    return counted(found.number) + ("+" if found.more else "")


@register.filter
def moment(value: datetime | None, form: str = "") -> SafeString | str:
    """A time in the reader's zone, to the minute ("seconds": to the second, "date": the day); in UTC on hover."""
    if value is None:
        return "–"
    local = timezone.localtime(value)
    shown = formats.date_format(local, "SHORT_DATE_FORMAT")
    if form != "date":
        shown += local.strftime(" %H:%M:%S" if form == "seconds" else " %H:%M")
    return format_html('<time datetime="{0}" title="{0}" class="text-nowrap">{1}</time>', timestamp(value), shown)


@register.filter
def status(code: str) -> SafeString:
    """A code as a colored label."""
    title, color = STATUS.get(str(code), (str(code), QUIET))
    return format_html('<span class="badge bg-{0}-lt status" data-status="{1}">{2}</span>', color, code, title)


@register.filter
def provider(record: Asked) -> str:
    """The institution that processes a payment, refund or withdrawal."""
    return asking.provider_name(record)


@register.filter
def is_overdue(record: Asked, now: datetime) -> bool:
    """Whether its outcome should be certain by now."""
    return asking.is_overdue(record, now)


@register.filter
def method(code: str) -> str:
    return str(METHOD.get(str(code), code))


@register.simple_tag
def docs(page: str) -> str:
    """The address of a page of the public documentation, in the reader's language."""
    return reverse("docs", kwargs={"language": translation.get_language(), "page": page})


@register.simple_tag
def icon(name: str) -> SafeString:
    """Decorative: the text next to it says the same."""
    source = static("vendor/icons.svg")
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', source, name)


@register.inclusion_tag("dashboard/_idle.html", takes_context=True)
def idle_question(context: Any) -> dict[str, Any]:
    """The dialog shown before an inactive person is signed out."""
    idle_s = settings.SESSION_IDLE_S
    return {"idle_s": idle_s, "minutes": max(1, idle_s // 60), "csrf_token": context.get("csrf_token")}


@register.simple_tag
def support() -> SafeString:
    """The support contact as a link; without a setting a note that there is none."""
    where = support_address()
    if not where:
        return format_html('<span class="text-secondary">{}</span>', _("No support contact is configured."))
    shown = settings.SUPPORT if where.startswith("mailto:") else _("Contact support")
    return format_html('<a href="{}" rel="noopener noreferrer">{}</a>', where, shown)


@register.simple_tag
def copyable(text: str) -> SafeString:
    """An id with a copy button."""
    return format_html(
        '<span class="copyable"><code>{0}</code><button type="button" class="btn btn-icon btn-sm" data-copy="{0}"'
        ' aria-label="{1} {0}">{2}</button></span>',
        text,
        translation.gettext("Copy"),
        icon("copy"),
    )


@register.simple_tag(takes_context=True)
def menu(context: Any) -> navigation.Menu:
    """What leads to other pages, and the number on the bell."""
    return navigation.menu(context["here"])


@register.inclusion_tag("dashboard/_views.html", takes_context=True)
def saved_views(context: Any) -> dict[str, Any]:
    """The saved views of this page, if it is a list that can have some."""
    here = context["here"]
    page = list_of(here.request)
    if page is None or not here.may(LISTS[page]):
        return {}
    query, manages = kept(here.request.GET), here.may(May.MANAGE)
    found = [
        (view, view.query == query, view.user_id == here.user.pk, view.user_id == here.user.pk or manages)
        for view in here.views
    ]
    return {"here": here, "page": page, "path": here.request.path, "views": found, "query": query} | {
        "csrf_token": context.get("csrf_token")
    }


@register.simple_tag(takes_context=True)
def to(context: Any, name: str, *args: Any) -> str:
    """The URL of a page of the same company in the same environment."""
    return str(context["here"].to(name, *args))


@register.simple_tag(takes_context=True)
def with_query(context: Any, **changed: Any) -> str:
    """This page's query with some members changed; None removes one."""
    query = context["request"].GET.copy()
    for name, value in changed.items():
        query.pop(name, None)
        if value is not None:
            query[name] = value
    return f"?{query.urlencode()}"


@register.filter
def may(here: Any, what: str) -> bool:
    return bool(here.offers(what))
