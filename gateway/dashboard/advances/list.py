"""Advances: requests, costs, and the reviewer's decision."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.paging import page_of
from ledger.receivables import selectors

SIZE = 50


@require_safe
@page_view(May.READ_MONEY)
def advances(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Newest first."""
    page = page_of(selectors.advances(here.merchant), request.GET, SIZE)
    return here.render("advances/list.html", page=page)
