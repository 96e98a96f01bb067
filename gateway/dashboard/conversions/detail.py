"""One conversion, with both of its legs."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.conversions import selectors
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from ledger.wallets.changes import changes
from webhooks.selectors import events


@require_safe
@page_view(May.READ_MONEY)
def conversion(request: HttpRequest, here: RequestContext, conversion_id: str) -> HttpResponse:
    found = selectors.get(here.merchant, conversion_id)
    return here.render(
        "conversions/detail.html",
        conversion=found,
        cost=found.market_amount - found.destination_amount,
        changes=changes(here.merchant, [found.pk]),
        events=events(here.merchant, object_id=found.pk)[:20],
    )
