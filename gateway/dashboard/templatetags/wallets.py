"""Template tags of balances, statements, withdrawals and conversions: rates, fees and movements."""

from datetime import UTC, date, datetime
from decimal import Context, Decimal
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import NoReverseMatch
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.base.wire import timestamp
from gateway.conversions.models import Conversion
from gateway.dashboard.balance import words
from gateway.dashboard.balance.forms import ExplainedInstant
from gateway.dashboard.links import address_of
from gateway.dashboard.navigation import MENU
from gateway.dashboard.templatetags.dashboard import money
from gateway.dashboard.withdrawals.list import account_line as account_line_of
from gateway.dashboard.withdrawals.list import destination as destination_in_words
from gateway.dashboard.withdrawals.words import FAILURE
from gateway.payouts.selectors import PayoutTerms
from gateway.withdrawals.models import Withdrawal
from ledger.notation import MINUS, exact, per_cent

register = template.Library()


@register.filter
def destination(withdrawal: Withdrawal) -> str:
    return destination_in_words(withdrawal)


@register.filter
def account_line(shown: dict[str, Any]) -> str:
    return account_line_of(shown)


@register.filter
def failure_in_words(code: str) -> Any:
    return FAILURE[code][0] if code in FAILURE else code


@register.filter
def number(value: Decimal) -> str:
    """All digits, without trailing zeros."""
    return exact(value)


@register.simple_tag
def rate(value: Decimal, source: str, destination: str) -> SafeString:
    """The value of one source unit in the destination currency, to eight digits; all of them on hover."""
    shown = number(Context(prec=8).plus(value))
    return format_html(
        '<span class="text-nowrap" title="{}">1 {} = {} {}</span>', number(value), source, shown, destination
    )


@register.simple_tag
def cost_of(conversion: Conversion) -> str:
    """The difference to the market rate."""
    return money(conversion.market_amount - conversion.destination_amount, conversion.destination_currency)


@register.simple_tag
def fee_of(terms: PayoutTerms, wallet: str, paid_out: str) -> str:
    """The cost of a rail: its fee on top of the amount, and the network fee deducted from the payout."""
    parts: list[Any] = []
    if terms.fee_percentage:
        parts.append(per_cent(terms.fee_percentage))
    if terms.fee_fixed:
        parts.append(money(terms.fee_fixed, wallet))
    if terms.network_fee:
        parts.append(_("%(amount)s network fee") % {"amount": money(terms.network_fee, paid_out)})
    return " + ".join(parts) or pgettext("fee", "none")


@register.filter
def change(amount: int, currency: str) -> SafeString | str:
    """A change with its sign; zero is empty."""
    if not amount:
        return ""
    sign = "+" if amount > 0 else MINUS
    return format_html(
        '<span class="{}">{}{}</span>', "text-green" if amount > 0 else "", sign, money(abs(amount), currency)
    )


@register.filter
def posted(kind: str) -> Any:
    """The label of a transfer kind."""
    return words.POSTED.get(kind, kind)


@register.filter
def bucket(code: str) -> Any:
    return words.BUCKET.get(code, code)


@register.filter
def cause(code: str) -> Any:
    return words.CAUSE.get(code, code)


@register.filter
def instant(value: datetime) -> str:
    """As in URLs, to the millisecond."""
    return timestamp(value.astimezone(UTC))


@register.simple_tag(takes_context=True)
def leads_to(context: Any, object_id: str | None, title: str = "") -> SafeString | str:
    """An id, or `title`, with a link to its page if there is one and the person may open it."""
    shown = format_html("<u>{}</u>", title) if title else format_html("<code>{}</code>", object_id)
    address = address_of(context["here"], object_id or "")
    return format_html('<a href="{}">{}</a>', address, shown) if address else title or shown


@register.simple_tag(takes_context=True)
def leads_to_page(context: Any, name: str) -> str:
    """The URL of a menu page if it exists and the person may open it."""
    here = context["here"]
    found = (item for _title, items in MENU for item in items if item.name == name and here.may(item.needs))
    try:
        return str(here.to(next(found).name))
    except (StopIteration, NoReverseMatch):
        return ""


@register.simple_tag
def explain_query(asked: ExplainedInstant, cause: str | None = None, after: int | None = None) -> str:
    """The query that explains the same instant with a cause expanded; `after` continues in it."""
    query = {
        "currency": asked.currency,
        "bucket": asked.bucket,
        "at": instant(asked.at),
        "from": instant(asked.since) if asked.since else "",
    }
    query |= {"cause": cause} if cause else {}
    return "?" + urlencode(query | ({"after": str(after)} if after else {}))


@register.simple_tag(takes_context=True)
def period_query(context: Any, first: date | None, last: date) -> str:
    """This page's query for another period."""
    query = context["request"].GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    query["from"], query["to"] = str(first or ""), str(last)
    return f"?{query.urlencode()}"
