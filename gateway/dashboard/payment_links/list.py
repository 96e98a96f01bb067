"""The company's payment links."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.paging import page_of
from gateway.dashboard.payment_links.words import STATUS
from gateway.dashboard.periods import DaysForm
from gateway.payment_links import selectors


class LinkFilterForm(DaysForm):
    status = forms.ChoiceField(
        label=gettext_lazy("Status"),
        choices=[("", gettext_lazy("Any")), *((code, word) for code, (word, _color) in STATUS.items())],
        required=False,
    )


@require_safe
@page_view(May.READ_PAYMENTS)
def payment_links(request: HttpRequest, here: RequestContext) -> HttpResponse:
    form = LinkFilterForm(request.GET)
    filters = form.filters("status")
    rows = selectors.listed(here.merchant, **filters)
    return here.render(
        "payment_links/list.html", page=page_of(rows, request.GET), filter=form, filtered=any(filters.values())
    )
