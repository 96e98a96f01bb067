"""Acceptance by provider: what became of payments at each, and why they failed."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.periods import choices, chosen_period
from gateway.methods.failures import sentence_of
from gateway.payments.acceptance import of_merchant


@require_safe
@page_view(May.READ_PAYMENTS)
def page(request: HttpRequest, here: RequestContext) -> HttpResponse:
    chosen, period = chosen_period(here.merchant, here.now, request.GET.get("period", ""))
    found = of_merchant(here.merchant, period)
    return here.render(
        "acceptance.html",
        periods=choices(chosen),
        first=period.days[0],
        last=period.days[-1],
        found=[(one, [(sentence_of(code), count) for code, count in one.top_reasons]) for one in found],
    )
