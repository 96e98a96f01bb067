"""Webhook endpoints: health and life cycle. A secret is in one response only."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from webhooks import selectors
from webhooks.health import health, switched_off_at
from webhooks.services import MAX_ENDPOINTS


@require_safe
@page_view(May.READ_TECHNICAL)
def webhooks(request: HttpRequest, here: RequestContext) -> HttpResponse:
    endpoints, well = list(selectors.endpoints(here.merchant)), health(here.merchant)
    rows = [(one, well[one.pk], switched_off_at(one)) for one in endpoints]
    return here.render("webhooks/list.html", rows=rows, is_full=len(rows) >= MAX_ENDPOINTS, most=MAX_ENDPOINTS)
