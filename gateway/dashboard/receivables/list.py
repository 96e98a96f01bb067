"""The money calendar: a month, its days, and the receivables of each."""

import calendar
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.http import require_safe

from accounts.base.csv_export import csv_of, timed
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.currencies import put_in_order
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.periods import FIRST, LAST, DayField, begin, end
from gateway.dashboard.receivables.feed import address_of
from gateway.dashboard.words import METHOD, STATUS
from ledger.chart import WALLET_METHOD
from ledger.money import to_decimal
from ledger.receivables import calendar as receivables
from ledger.receivables.models import Receivable, State

ANY = "any"
SIZE = 50


class MonthField(forms.Field):
    """A month as browsers write it: "2026-11". Its value is the first day."""

    def to_python(self, value: Any) -> date | None:
        try:
            found = date.fromisoformat(f"{value}-01")
        except ValueError:
            return None
        return found if FIRST <= found <= LAST else None


class ReceivableFilterForm(DashboardForm):
    """Filters of calendar and list. A day selects its month."""

    month = MonthField(required=False, widget=forms.HiddenInput)
    day = DayField(label=gettext_lazy("Day"), required=False)
    currency = forms.ChoiceField(
        label=gettext_lazy("Currency"),
        choices=[("", gettext_lazy("All")), *((code, code) for code in WALLET_METHOD)],
        required=False,
    )
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        choices=[
            ("", gettext_lazy("Released on its date")),
            *((state, STATUS[state][0]) for state in State.values),
            (ANY, gettext_lazy("Any")),
        ],
        required=False,
    )

    def states(self) -> Sequence[str]:
        chosen = self.cleaned_data.get("state")
        if chosen == ANY:
            return State.values
        return [chosen] if chosen else receivables.ON_THEIR_DAY


@dataclass(frozen=True, slots=True)
class DayCell:
    """A day of the month, with its releases in each currency."""

    day: date
    is_inside: bool
    is_today: bool
    is_chosen: bool
    entries: list[receivables.Day]


@require_safe
@page_view(May.READ_MONEY)
def month(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """A month as a calendar, with its receivables, or those of a selected day, as a list."""
    form = ReceivableFilterForm(request.GET)
    put_in_order(here.merchant, form, "currency")
    form.is_valid()
    given, zone = form.cleaned_data, timezone.get_current_timezone()
    today = here.now.astimezone(zone).date()
    chosen = given.get("day")
    first = (chosen or given.get("month") or today).replace(day=1)
    listed = partial(receivables.listed, here.merchant, states=form.states(), currency=given.get("currency") or None)
    days = receivables.days(listed(begin(first), begin(_after(first))), zone)
    rows = listed(begin(chosen or first), end(chosen) if chosen else begin(_after(first)))
    if request.GET.get("format") == "csv":
        name = "-".join((pgettext("file name", "receivables"), str(chosen or first.strftime("%Y-%m"))))
        return csv_of(name, _columns(), in_chunks(rows))
    return here.render(
        "receivables/list.html",
        form=form,
        first=first,
        before=_before(first) if first > FIRST else None,
        after=_after(first) if _after(first) <= LAST else None,
        chosen=chosen,
        today=today,
        weekdays=_weekdays(),
        cells=_cells(first, today, chosen, days),
        totals=receivables.totals([one for one in days if chosen in (None, one.day)]),
        page=page_of(rows, request.GET, SIZE),
        can_choose=here.merchant.advance_enabled,
        whole_month=f"?month={first:%Y-%m}",
        feed=address_of(here.membership, here.merchant),
        states_on_day=form.states() == receivables.ON_THEIR_DAY,
        is_narrowed=bool(given.get("state") or given.get("currency")),
    )


def _after(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _before(first: date) -> date:
    return (first - timedelta(days=1)).replace(day=1)


def _week() -> calendar.Calendar:
    """The first day of the week by locale: Django counts from Sunday, Python from Monday."""
    return calendar.Calendar((formats.get_format("FIRST_DAY_OF_WEEK") - 1) % 7)


def _weekdays() -> list[date]:
    """Any dates with these weekday names."""
    monday = date(2024, 1, 1)
    return [monday + timedelta(days=number) for number in _week().iterweekdays()]


def _cells(first: date, today: date, chosen: date | None, days: Sequence[receivables.Day]) -> list[DayCell]:
    by_day = defaultdict(list)
    for one in days:
        by_day[one.day].append(one)
    shown = _week().itermonthdates(first.year, first.month)
    return [
        DayCell(
            day, day.month == first.month, day == today, day == chosen, by_day[day] if day.month == first.month else []
        )
        for day in shown
    ]


def _columns() -> list[Any]:
    def amount(name: str) -> Any:
        return lambda row: to_decimal(getattr(row, name), row.currency)

    return [
        (_("Receivable"), lambda row: row.pk),
        (timed(_("Released at")), lambda row: row.release_at),
        (_("State"), lambda row: STATUS[row.state][0]),
        (_("Payment"), lambda row: row.payment_id),
        (_("Reference"), lambda row: row.payment_reference),
        (_("Method"), lambda row: METHOD.get(row.method, row.method)),
        (_("Currency"), lambda row: row.currency),
        (_("Gross"), amount("gross_amount")),
        (_("Fee"), amount("fee")),
        (_("Refunded"), amount("refunded_amount")),
        (_("Net"), amount("amount")),
    ]


def can_be_advanced(row: Receivable, here: RequestContext) -> bool:
    """Whether it can be selected for an advance now."""
    return row.state == State.SCHEDULED and row.advance_monthly_rate is not None and row.release_at > here.now
