"""One endpoint: health, deliveries, and lifecycle."""

import uuid
from datetime import timedelta
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.events.words import KIND
from gateway.dashboard.forms import DashboardForm, OnceForm
from gateway.dashboard.paging import page_of
from gateway.dashboard.webhooks.forms import EndpointForm, SecretRotationForm
from gateway.dashboard.webhooks.words import DELIVERY
from webhooks import selectors, services
from webhooks.health import health, switched_off_at
from webhooks.kinds import EVERYTHING
from webhooks.models import Endpoint
from webhooks.notices import FAILED_AT_LEAST


def _which(here: RequestContext, webhook_id: str) -> Facts:
    return [(_("Endpoint"), selectors.endpoint(here.merchant, webhook_id).url)]


def _switched(here: RequestContext, webhook_id: str) -> Facts:
    is_wanted = here.request.POST.get("status") == Endpoint.Status.ACTIVE
    return [*_which(here, webhook_id), (_("Status"), _("On") if is_wanted else _("Off"))]


def facts(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "url": endpoint.url,
        "events": endpoint.events,
        "description": endpoint.description,
        "status": endpoint.status,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Change a webhook endpoint"), EndpointForm, _which))
def edit(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """Changes address, event types or description."""
    known = selectors.endpoint(here.merchant, webhook_id)
    wants_everything = known.events == [EVERYTHING]
    initial = {
        "url": known.url,
        "description": known.description,
        "everything": wants_everything,
        "events": [] if wants_everything else known.events,
    }
    form = EndpointForm(here.merchant, request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        _change(here, known, **form.values())
        return here.redirect("webhook", known.pk, message=_("Saved."))
    return here.render("webhooks/edit.html", form=form, endpoint=known)


@transaction.atomic
def _change(here: RequestContext, known: Endpoint, **wanted: Any) -> None:
    """Sets only what differs: setting an address resets the failure counters."""
    before = facts(known)
    different = {name: value for name, value in wanted.items() if before[name] != value}
    if different:
        services.change(here.merchant, known.pk, **different)
        here.record("webhook.changed", known.pk, before={name: before[name] for name in different}, after=different)


@require_POST
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Enable or disable a webhook endpoint"), about=_switched))
def switch(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """Enables or disables the endpoint."""
    known = selectors.endpoint(here.merchant, webhook_id)
    is_wanted = request.POST.get("status") == Endpoint.Status.ACTIVE
    _change(here, known, status=Endpoint.Status.ACTIVE if is_wanted else Endpoint.Status.INACTIVE)
    message = _("Enabled. Events from the meantime can be replayed.") if is_wanted else _("Disabled.")
    return here.redirect("webhook", known.pk, message=message)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(
    May.DEVELOP, steps_up=action(gettext_lazy("Replace the secret of a webhook endpoint"), SecretRotationForm, _which)
)
def rotate(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """A new secret, shown once; the old one keeps signing for a while."""
    known, form = selectors.endpoint(here.merchant, webhook_id), SecretRotationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        overlap = timedelta(hours=int(form.cleaned_data["overlap"]))
        with transaction.atomic():
            here.claim(form)
            changed, secret = services.rotate(here.merchant, known.pk, overlap)
            ends = changed.overlap_ends_at
            after = {"old_secret_signs_until": ends.isoformat() if ends else None}
            here.record("webhook.secret_rotated", known.pk, after=after)
        return here.render("webhooks/shown.html", endpoint=changed, secret=secret)
    return here.render("webhooks/rotate.html", form=form, endpoint=known)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Delete a webhook endpoint"), about=_which))
def delete(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """Asks for confirmation, then deletes."""
    known = selectors.endpoint(here.merchant, webhook_id)
    if request.method == "POST":
        with transaction.atomic():
            services.delete(here.merchant, known.pk)
            here.record("webhook.deleted", known.pk, before=facts(known))
        return here.redirect("webhooks", message=_("The endpoint was deleted."))
    return here.render("webhooks/delete.html", endpoint=known, health=health(here.merchant, known.pk)[known.pk])


def overview(here: RequestContext, known: Endpoint) -> dict[str, Any]:
    """The header of the pages of one endpoint."""
    return {
        "endpoint": known,
        "health": health(here.merchant, known.pk)[known.pk],
        "switched_off_at": switched_off_at(known),
        "given_up": FAILED_AT_LEAST,
    }


class DeliveryFilter(DashboardForm):
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


@require_POST
@page_view(May.DEVELOP)
def test(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """Sends one `webhook.test`, like every other event."""
    form = OnceForm(request.POST)
    if not form.is_valid():
        return here.redirect("webhook", webhook_id)
    with transaction.atomic():
        here.claim(form, here.to("webhook", webhook_id))
        made = services.send_test(here.merchant, webhook_id)
        here.record("webhook.tested", webhook_id, after={"event": made.event_id})
    return here.redirect("delivery", webhook_id, made.pk, message=_("The test event is being sent."))
