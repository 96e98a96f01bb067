"""Conversions: the list, its export, and one conversion with both legs."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.base.csv_export import CsvColumn, csv_of, timed
from accounts.base.wire import plain
from accounts.roles import May
from gateway.conversions import selectors
from gateway.conversions.models import Conversion
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.currencies import put_in_order
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.periods import DaysForm
from ledger.chart import WALLET_METHOD
from ledger.money import to_decimal

ANY_WALLET = [("", gettext_lazy("Any")), *((code, code) for code in WALLET_METHOD)]


class ConversionFilterForm(DaysForm):
    source_currency = forms.ChoiceField(label=gettext_lazy("Out of"), choices=ANY_WALLET, required=False)
    destination_currency = forms.ChoiceField(label=gettext_lazy("Into"), choices=ANY_WALLET, required=False)


@require_safe
@page_view(May.READ_MONEY)
def conversions(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    form = ConversionFilterForm(request.GET)
    put_in_order(here.merchant, form, "source_currency", "destination_currency")
    filters = form.filters("source_currency", "destination_currency")
    rows = selectors.listed(here.merchant, **filters)
    if request.GET.get("format") == "csv":
        return csv_of(form.file_name(_("conversions")), COLUMNS, in_chunks(rows))
    return here.render(
        "conversions/list.html", page=page_of(rows, request.GET), filter=form, filtered=any(filters.values())
    )


def _cost(one: Conversion) -> Any:
    return to_decimal(one.market_amount - one.destination_amount, one.destination_currency)


COLUMNS: list[CsvColumn[Conversion]] = [
    (gettext_lazy("Conversion"), lambda one: one.pk),
    (timed(gettext_lazy("When")), lambda one: one.created_at),
    (gettext_lazy("Out of"), lambda one: one.source_currency),
    (gettext_lazy("Amount out"), lambda one: to_decimal(one.source_amount, one.source_currency)),
    (gettext_lazy("Into"), lambda one: one.destination_currency),
    (gettext_lazy("Amount in"), lambda one: to_decimal(one.destination_amount, one.destination_currency)),
    (gettext_lazy("Market rate"), lambda one: plain(one.market_rate)),
    (gettext_lazy("Applied rate"), lambda one: plain(one.applied_rate)),
    (gettext_lazy("Spread in per cent"), lambda one: plain(one.spread_percentage)),
    (gettext_lazy("Cost compared to the market rate"), _cost),
]
