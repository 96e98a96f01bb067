"""An event with its body and deliveries."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from webhooks import selectors


@require_safe
@page_view(May.READ_TECHNICAL)
def event(request: HttpRequest, here: RequestContext, event_id: str) -> HttpResponse:
    found = selectors.event(here.merchant, event_id)
    deliveries = selectors.deliveries_of(here.merchant, found)
    return here.render(
        "events/detail.html", event=found, body=bytes(found.body), deliveries=deliveries, once=uuid.uuid4()
    )
