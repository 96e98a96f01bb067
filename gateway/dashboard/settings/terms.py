"""Methods and payout rails by currency, with what they cost and whose rule it is."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.models import Company
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.methods import selectors as methods
from gateway.payouts import selectors as payouts


@require_safe
@page_view(May.READ_PAYMENTS)
def terms(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Methods and payout rails by currency, with their cost and the source of the rule."""
    return here.render(
        "settings/terms.html",
        offers=methods.known(here.merchant),
        rails=payouts.known(here.merchant),
        is_active=here.company.status == Company.Status.ACTIVE,
    )
