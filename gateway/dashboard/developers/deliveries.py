"""What was sent to an endpoint: the list, one delivery to the byte, and sending it again."""

import uuid
from datetime import timedelta

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.base.clock import utcnow
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.developers.curl import as_curl
from gateway.dashboard.developers.webhooks import overview
from gateway.dashboard.developers.words import DELIVERY, KIND
from gateway.dashboard.forms import DashboardForm, OnceForm
from gateway.dashboard.paging import page_of
from webhooks import selectors, services
from webhooks.inspection import sent
from webhooks.models import Delivery

LOOKS_AGAIN_FOR = timedelta(minutes=1)
"""A page that waits for an attempt looks again by itself for so long."""


class DeliveryFilter(DashboardForm):
    """Which deliveries."""

    status = forms.ChoiceField(
        label=gettext_lazy("Status"),
        required=False,
        choices=[("", gettext_lazy("Any")), *((code, word[0]) for code, word in DELIVERY.items())],
    )
    event_type = forms.ChoiceField(
        label=gettext_lazy("Event"),
        required=False,
        choices=[("", gettext_lazy("Any")), *((kind, kind) for kind in KIND)],
    )


@require_safe
@page_view(May.READ_TECHNICAL)
def webhook(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    known = selectors.endpoint(here.merchant, webhook_id)
    form = DeliveryFilter(request.GET)
    wanted = {name: value for name, value in form.cleaned_data.items() if value} if form.is_valid() else {}
    page = page_of(selectors.deliveries(here.merchant, known.pk, **wanted), request.GET, 25)
    once = uuid.uuid4()
    return here.render(
        "webhooks/detail.html", filter=form, filtered=bool(wanted), page=page, once=once, **overview(here, known)
    )


@require_safe
@page_view(May.READ_TECHNICAL)
def delivery(request: HttpRequest, here: RequestContext, webhook_id: str, delivery_id: str) -> HttpResponse:
    """Everything about one delivery. `?attempt=` shows another than the last one as it was sent."""
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
        body=bytes(found.event.body),
        curl=as_curl("POST", known.url, left.headers, left.body.decode()) if left else "",
        once=uuid.uuid4(),
        now=utcnow(),
        looks_again=found.status == Delivery.Status.PENDING and found.created_at > utcnow() - LOOKS_AGAIN_FOR,
    )


@require_POST
@page_view(May.DEVELOP)
def redeliver(request: HttpRequest, here: RequestContext, webhook_id: str, delivery_id: str) -> HttpResponse:
    """The same event again, as a new delivery."""
    form = OnceForm(request.POST)
    if not form.is_valid():
        return here.go("delivery", webhook_id, delivery_id)
    with transaction.atomic():
        here.claim(form, here.to("delivery", webhook_id, delivery_id))
        made = services.redeliver(here.merchant, webhook_id, delivery_id)
        here.record("webhook.redelivered", webhook_id, before={"delivery": delivery_id}, after={"delivery": made.pk})
    return here.go("delivery", webhook_id, made.pk, said=_("It is sent again."))


@require_POST
@page_view(May.DEVELOP)
def test(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """One `webhook.test`, as real as every other event."""
    form = OnceForm(request.POST)
    if not form.is_valid():
        return here.go("webhook", webhook_id)
    with transaction.atomic():
        here.claim(form, here.to("webhook", webhook_id))
        made = services.send_test(here.merchant, webhook_id)
        here.record("webhook.tested", webhook_id, after={"event": made.event_id})
    return here.go("delivery", webhook_id, made.pk, said=_("The test event is being sent."))


urls = [
    path("webhooks/<str:webhook_id>", webhook, name="webhook"),
    path("webhooks/<str:webhook_id>/test", test, name="test_webhook"),
    path("webhooks/<str:webhook_id>/deliveries/<str:delivery_id>", delivery, name="delivery"),
    path("webhooks/<str:webhook_id>/deliveries/<str:delivery_id>/again", redeliver, name="redeliver"),
]
