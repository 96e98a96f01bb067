"""The refund list: requests awaiting an answer first, by deadline."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.base.csv_export import csv_of, timed
from accounts.base.listing import sums
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.currencies import put_in_order
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.periods import DayField, DaysForm, begin, end, presets
from gateway.dashboard.refunds.words import KIND, REASON, TAB
from gateway.dashboard.sums import list_sums
from gateway.dashboard.words import STATUS
from gateway.methods.models import CURRENCIES
from gateway.refunds import inbox
from gateway.refunds.models import Refund
from gateway.refunds.reasons import ReasonCode
from ledger.money import to_decimal

ALL = "all"
SIZE = 50


class RefundFilterForm(DaysForm):
    """`completed_…` are days, too."""

    tab = forms.ChoiceField(choices=[(ALL, ""), *TAB.items()], required=False, widget=forms.HiddenInput)
    kind = forms.ChoiceField(
        label=gettext_lazy("Requested"),
        choices=[
            ("", gettext_lazy("By anyone")),
            *((code, title) for code, (title, _color) in KIND.items()),
            (inbox.OF_PAYERS, gettext_lazy("By any payer")),
        ],
        required=False,
    )
    reason_code = forms.ChoiceField(
        label=gettext_lazy("Reason"),
        choices=[("", gettext_lazy("Any")), *((code, REASON[code][0]) for code in ReasonCode.values)],
        required=False,
    )
    currency = forms.ChoiceField(
        label=gettext_lazy("Currency"), choices=[("", gettext_lazy("Any")), *CURRENCIES], required=False
    )
    completed_since = DayField(label=gettext_lazy("Completed from"), required=False)
    completed_until = DayField(label=gettext_lazy("Completed to"), required=False)

    def completed(self) -> dict[str, Any]:
        """When the refunds were completed, as selectors take it. Call `filters` first."""
        since, until = self.cleaned_data.get("completed_since"), self.cleaned_data.get("completed_until")
        return {"completed_from": begin(since) if since else None, "completed_to": end(until) if until else None}


@require_safe
@page_view(May.READ_PAYMENTS)
def refunds(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """The selected tab; by default requests awaiting an answer, or everything if there are none."""
    form = RefundFilterForm(request.GET)
    put_in_order(here.merchant, form, "currency")
    filters = form.filters("kind", "reason_code", "currency") | form.completed()
    counts = inbox.counts(here.merchant)
    tab = form.cleaned_data.get("tab") or (inbox.Tab.WAITING if counts[inbox.Tab.WAITING] else ALL)
    rows = inbox.listed(here.merchant, None if tab == ALL else tab, **filters)
    if request.GET.get("format") == "csv":
        return csv_of(_("refunds"), _columns(), in_chunks(rows))
    tabs = [(name, title, counts[name], name == tab) for name, title in TAB.items()]
    return here.render(
        "refunds/list.html",
        page=page_of(rows, request.GET, SIZE),
        sums=list_sums(here, sums(rows)),
        presets=presets(here.now),
        tabs=tabs,
        tab=tab,
        form=form,
        is_narrowed=any(filters.values()),
        counted_to=inbox.COUNTED_TO,
    )


def _columns() -> list[Any]:
    return [
        (_("Refund"), lambda refund: refund.pk),
        (timed(_("Created")), lambda refund: refund.created_at),
        (_("Status"), lambda refund: STATUS[refund.status][0]),
        (_("Requested"), lambda refund: KIND[inbox.kind_of(refund)][0]),
        (_("Reason"), _reason),
        (_("Amount"), lambda refund: to_decimal(refund.amount, refund.currency)),
        (_("Currency"), lambda refund: refund.currency),
        (_("Payment"), lambda refund: refund.payment_id),
        (_("Payment reference"), lambda refund: refund.payment.reference),
        (timed(_("Answer due")), lambda refund: refund.response_due_at),
        (timed(_("Completed")), lambda refund: refund.completed_at),
    ]


def _reason(refund: Refund) -> Any:
    return REASON[refund.reason_code][0] if refund.reason_code else refund.reason
