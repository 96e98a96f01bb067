"""Acceptance by provider: what became of payments at each, and why they failed."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.periods import chosen_period
from gateway.methods.failures import sentence_of
from gateway.payments.acceptance import LONGEST_DAYS, of_merchant


@require_safe
@page_view(May.READ_PAYMENTS)
def page(request: HttpRequest, here: RequestContext) -> HttpResponse:
    chosen = chosen_period(here, LONGEST_DAYS)
    found = of_merchant(here.merchant, chosen.period)
    return here.render(
        "acceptance.html",
        chosen=chosen,
        found=[(one, [(sentence_of(code), count) for code, count in one.top_reasons]) for one in found],
    )
