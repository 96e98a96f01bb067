"""The payment list: search, counts by status, pages, and export."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.base.clock import utcnow
from accounts.base.csv_export import CsvColumn, csv_of
from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.currencies import put_in_order
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.payments.filters import PLACE, PaymentFilterForm
from gateway.dashboard.sums import list_sums
from gateway.dashboard.words import STATUS
from gateway.payments.models import Payment, Status
from gateway.payments.search import Count, found
from gateway.refunds.models import DISPUTED, Refund

SIZE = 25


@dataclass(frozen=True, slots=True)
class StatusCard:
    """A status and its count; a click toggles the filter. `status` empty: all."""

    status: str
    title: Any
    color: str
    count: Any
    address: str
    is_chosen: bool


@require_safe
@page_view(May.READ_PAYMENTS)
def payments_list(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """The matches of the query; with `format=csv` all of them as a file."""
    filters = PaymentFilterForm(request.GET, here.now)
    put_in_order(here.merchant, filters, "currency")
    result = found(here.merchant, filters.search)
    if request.GET.get("format") == "csv":
        return csv_of(_name(filters), _cells(filters), in_chunks(result.rows))
    page = page_of(result.rows.only("pk", "created_at"), request.GET, SIZE)
    rows = _whole(here.merchant, [row.pk for row in page.rows])
    tally = result.tally()
    return here.render(
        "payments/list.html",
        filters=filters,
        cards=_cards(request.GET, filters, tally.counts),
        columns=filters.shown,
        rows=[(row, [(column, column.show(row)) for column in filters.shown]) for row in rows],
        disputed=_disputed(here.merchant, rows),
        page=page,
        sums=list_sums(here, tally.sums),
        asked=filters.search.text,
        is_empty=not rows and not filters.narrows,
    )


def _name(filters: PaymentFilterForm) -> str:
    """File name with the selected days, else until today."""
    since, until = filters.search.created_from, filters.cleaned_data.get("until") or utcnow()
    days = [f"{timezone.localtime(day):%Y-%m-%d}" for day in (since, until) if day]
    return "-".join([slugify(_("payments")), *days])


def _cells(filters: PaymentFilterForm) -> list[CsvColumn[Payment]]:
    return [cell for column in filters.shown for cell in column.cells]


def _whole(merchant: Merchant, ids: Sequence[str]) -> list[Payment]:
    """The payments in this order, loaded by id for the shown page only."""
    rows = Payment.objects.filter(merchant=merchant).in_bulk(ids)
    return [rows[pk] for pk in ids if pk in rows]


def _disputed(merchant: Merchant, rows: Sequence[Payment]) -> set[str]:
    """Which of these payments have an open refund request of the payer."""
    open_disputes = Refund.objects.filter(merchant=merchant, payment__in=rows, status__in=DISPUTED)
    return set(open_disputes.values_list("payment_id", flat=True))


def _cards(query: QueryDict, filters: PaymentFilterForm, counts: dict[str, Count]) -> list[StatusCard]:
    chosen = filters.search.statuses
    total = Count(sum(one.number for one in counts.values()), any(one.more for one in counts.values()))
    cards = [StatusCard("", _("All"), "secondary", total, _with(query, []), not chosen)]
    for status in Status.values:
        title, color = STATUS[status]
        is_chosen = status in chosen
        address = _with(query, [] if chosen == (status,) else [status])
        cards.append(StatusCard(status, title, color, counts[status], address, is_chosen))
    return cards


def _with(query: QueryDict, statuses: list[str]) -> str:
    changed = query.copy()
    for name in (*PLACE, "format"):
        changed.pop(name, None)
    changed.setlist("status", statuses)
    return f"?{changed.urlencode()}"
