"""Replay to an endpoint: matches are counted and shown first, and sent after confirmation."""

import uuid
from datetime import timedelta
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from accounts.base.clock import utcnow
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.events.words import KIND
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.moments import PeriodForm
from webhooks import selectors, services
from webhooks.models import Endpoint
from webhooks.services import MOST_AT_ONCE, Filter

LAST = (
    ("", gettext_lazy("Any result")),
    ("FAILED", gettext_lazy("Gave up")),
    ("NONE", gettext_lazy("Never sent")),
    ("CANCELED", gettext_lazy("Canceled")),
    ("DELIVERED", gettext_lazy("Delivered")),
)


class ReplayFilter(PeriodForm):
    type = forms.ChoiceField(
        label=gettext_lazy("Event"),
        required=False,
        choices=[("", gettext_lazy("Every type it is subscribed to")), *((kind, kind) for kind in KIND)],
    )
    object_id = forms.CharField(label=gettext_lazy("Object"), required=False, max_length=40)
    last_status = forms.ChoiceField(label=gettext_lazy("Last delivery"), required=False, choices=LAST)

    def wanted(self) -> Filter:
        return Filter(**{name: value or None for name, value in self.cleaned_data.items() if name != "once"})


class ReplayForm(ReplayFilter, OnceForm):
    """The same filters, to be carried out."""


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP)
def replay(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """GET counts and previews, POST sends."""
    known = selectors.endpoint(here.merchant, webhook_id)
    if request.method == "POST":
        form = ReplayForm(request.POST)
        if form.is_valid():
            return _replay(here, webhook_id, form)
    context: dict[str, Any] = {"endpoint": known, "most": MOST_AT_ONCE, "once": uuid.uuid4()}
    asked = request.POST if request.method == "POST" else request.GET
    chosen = ReplayFilter(asked) if asked else ReplayFilter(initial=_defaults(known))
    if chosen.is_bound and chosen.is_valid():
        matched, first_ones = services.sample(here.merchant, webhook_id, chosen.wanted())
        context |= {"counted": True, "matched": min(matched, MOST_AT_ONCE), "is_more": matched > MOST_AT_ONCE}
        context["events"] = first_ones
    return here.render("webhooks/replay.html", filter=chosen, **context)


def _defaults(known: Endpoint) -> dict[str, Any]:
    """The default: what was not delivered since the endpoint fails, or else since yesterday."""
    return {"last_status": "FAILED", "created_from": known.failing_since or utcnow() - timedelta(days=1)}


def _replay(here: RequestContext, webhook_id: str, form: ReplayForm) -> HttpResponse:
    with transaction.atomic():
        here.claim(form)
        _matched, queued = services.replay(here.merchant, webhook_id, form.wanted(), dry_run=False)
        asked = {name: str(value) for name, value in form.cleaned_data.items() if value and name != "once"}
        here.record("webhook.replayed", webhook_id, before=asked, after={"queued": queued})
    message = ngettext("%(n)s event is being sent.", "%(n)s events are being sent.", queued) % {"n": f"{queued:,}"}
    return here.redirect("webhook", webhook_id, message=message if queued else _("Nothing matched: nothing is sent."))
