"""Deliveries of an endpoint: the list, one delivery in full, and redelivery."""

import uuid
from datetime import timedelta

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.base.clock import utcnow
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.curl import as_curl
from gateway.dashboard.forms import OnceForm
from webhooks import selectors, services
from webhooks.inspection import sent
from webhooks.models import Delivery

LOOKS_AGAIN_FOR = timedelta(minutes=1)
"""How long a page that waits for an attempt refreshes itself."""


@require_safe
@page_view(May.READ_TECHNICAL)
def delivery(request: HttpRequest, here: RequestContext, webhook_id: str, delivery_id: str) -> HttpResponse:
    """One delivery in full. `?attempt=` shows another attempt than the last one as it was sent."""
    known = selectors.endpoint(here.merchant, webhook_id)
    found = selectors.delivery(here.merchant, webhook_id, delivery_id)
    found.endpoint = known
    tries = list(found.tries.order_by("number"))
    asked = request.GET.get("attempt", "")
    chosen = next((one for one in tries if str(one.number) == asked), tries[-1] if tries else None)
    left = sent(found, chosen) if chosen else None
    return here.render(
        "webhooks/delivery.html",
        endpoint=known,
        delivery=found,
        tries=tries,
        chosen=chosen,
        sent=left,
        body=left.body if left else bytes(found.event.body),
        curl=as_curl("POST", known.url, left.headers, left.body.decode()) if left else "",
        once=uuid.uuid4(),
        now=utcnow(),
        looks_again=found.status == Delivery.Status.PENDING and found.created_at > utcnow() - LOOKS_AGAIN_FOR,
    )


@require_POST
@page_view(May.DEVELOP)
def redeliver(request: HttpRequest, here: RequestContext, webhook_id: str, delivery_id: str) -> HttpResponse:
    """Sends the same event again, as a new delivery."""
    form = OnceForm(request.POST)
    if not form.is_valid():
        return here.redirect("delivery", webhook_id, delivery_id)
    with transaction.atomic():
        here.claim(form, here.to("delivery", webhook_id, delivery_id))
        made = services.redeliver(here.merchant, webhook_id, delivery_id)
        here.record("webhook.redelivered", webhook_id, before={"delivery": delivery_id}, after={"delivery": made.pk})
    return here.redirect("delivery", webhook_id, made.pk, message=_("It is sent again."))
