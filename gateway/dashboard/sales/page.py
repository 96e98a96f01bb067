"""The sales page: a period, the one before, and the lists behind each number."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.periods import Chosen, chosen_period
from gateway.dashboard.sales import tables, words
from gateway.dashboard.sales.chart import chart
from gateway.dashboard.sales.lists import Lists
from gateway.dashboard.sales.tables import InOne
from gateway.methods.models import CURRENCIES
from gateway.sales.currencies import in_order
from gateway.sales.reporting import converted
from gateway.sales.selectors import sales


@require_safe
@page_view(May.READ_PAYMENTS)
def page(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """One currency is drawn: the chosen one, else that with most sales."""
    chosen = chosen_period(here)
    found, lists = sales(here.merchant, chosen.period, chosen.before), Lists(here, chosen.period, chosen.before)
    currencies = in_order(here.merchant, tables.used(found))
    asked = request.GET.get("currency", "")
    currency = asked if asked in currencies else next(iter(currencies), "")
    methods = tables.by_method(found, lists, currency)
    cards, others = tables.outcomes(found, lists)
    reasons = tables.reasons(found, lists)
    return here.render(
        "sales/page.html",
        chosen=chosen,
        zone=timezone.get_current_timezone_name(),
        activity=tables.activity(found, lists, currencies),
        one=_in_one(here, chosen, currencies),
        currency=currency,
        currencies=currencies,
        methods=methods,
        chart=chart(found, lists, currency, [row.method for row in methods]) if methods else None,
        cards=cards,
        others=others,
        sentences=list(words.sentences(cards, reasons)),
        reasons=reasons[: tables.MOST_REASONS],
        disputes=tables.disputes(found),
        disputes_before=tables.disputes(found, before=True),
        disputes_address=lists.disputes(),
        disputes_before_address=lists.before.disputes(),
    )


def _in_one(here: RequestContext, chosen: Chosen, currencies: list[str]) -> InOne | None:
    """All currencies in the one that the query says, else the person's; None for a single currency, or without."""
    currency = here.request.GET.get("in", here.user.reporting_currency)
    if currency not in dict(CURRENCIES) or currencies in ([], [currency]):
        return None
    now, before = (converted(here.merchant, period, currency) for period in (chosen.period, chosen.before))
    return InOne(now, before)
