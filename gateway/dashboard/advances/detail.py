"""An advance: its cost, its receivables, and the reviewer's decision."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.base.ids import is_well_formed
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.advances.list import SIZE
from gateway.dashboard.context import RequestContext
from gateway.dashboard.paging import page_of
from ledger.receivables import selectors
from webhooks import selectors as webhooks


@require_safe
@page_view(May.READ_MONEY)
def advance(request: HttpRequest, here: RequestContext, advance_id: str) -> HttpResponse:
    """The advance, with each of its receivables and the days gained."""
    rows = selectors.advances(here.merchant).filter(pk=advance_id)
    found = rows.first() if is_well_formed(advance_id) else None
    if found is None:
        raise Http404
    items = found.items.select_related("receivable").order_by("id")
    events = webhooks.events(here.merchant, object_id=found.pk).defer("body")
    page = page_of(items, request.GET, SIZE)
    return here.render("advances/detail.html", advance=found, page=page, count=items.count(), events=events)
