"""The payers of a company, and their totals."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.base.csv_export import CsvColumn, csv_of, timed
from accounts.models import Merchant
from accounts.roles import May
from gateway.customers import selectors as customers
from gateway.customers.models import Customer
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.paging import in_chunks, page_of
from gateway.database.replica import elsewhere
from gateway.payments.customers import CustomerStanding, standings
from ledger.money import to_decimal

SIZE = 25
Row = tuple[Customer, CustomerStanding]


class CustomerFilterForm(DashboardForm):
    q = forms.CharField(
        label=gettext_lazy("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": gettext_lazy("Name, tax id, e-mail or id")}),
    )


@require_safe
@page_view(May.READ_PAYMENTS)
def customers_list(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """Newest first; with `format=csv` all of them as a file."""
    form = CustomerFilterForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    rows = customers.found(here.merchant, text)
    if request.GET.get("format") == "csv":
        return csv_of(_("customers"), _columns(), _with_standings(here.merchant, in_chunks(rows)))
    page = page_of(rows, request.GET, SIZE)
    had = standings(here.merchant, page.rows)
    shown = [(row, had[row.pk]) for row in page.rows]
    return here.render("customers/list.html", form=form, page=page, rows=shown, text=text)


def _with_standings(merchant: Merchant, chunks: Iterable[list[Customer]]) -> Iterator[list[Row]]:
    for chunk in chunks:
        had = elsewhere(partial(standings, merchant, chunk))
        yield [(row, had[row.pk]) for row in chunk]


def _columns() -> list[CsvColumn[Row]]:
    return [
        (_("Customer"), lambda row: row[0].pk),
        (_("Name"), lambda row: row[0].name),
        (_("Tax id"), lambda row: row[0].tax_id),
        (_("E-mail"), lambda row: row[0].email),
        (_("Payments"), lambda row: row[1].payments),
        (_("Paid"), _paid),
        (timed(_("Last payment")), lambda row: row[1].last_payment_at),
        (timed(_("Since")), lambda row: row[0].created_at),
    ]


def _paid(row: Row) -> Any:
    """In each currency: "BRL 150.00, EUR 10.00"."""
    return ", ".join(f"{code} {to_decimal(paid.gross, code)}" for code, paid in row[1].paid.items()) or None
