"""Webhook endpoints: how they do, and their whole life. A secret is in one answer and nowhere else."""

from datetime import timedelta
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.base.errors import Refusal
from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.developers.words import KIND
from gateway.dashboard.forms import OnceForm
from webhooks import selectors, services
from webhooks.health import health, switched_off_at
from webhooks.kinds import EVERYTHING
from webhooks.models import Endpoint
from webhooks.notices import FAILED_AT_LEAST
from webhooks.services import MAX_ENDPOINTS

TEST = "webhook.test"
OVERLAPS = (
    ("0", gettext_lazy("It stops immediately")),
    ("1", gettext_lazy("1 hour")),
    ("24", gettext_lazy("24 hours")),
    ("72", gettext_lazy("3 days")),
)


class EndpointForm(OnceForm):
    """Where to tell what."""

    url = forms.CharField(
        label=gettext_lazy("URL"),
        max_length=2048,
        widget=forms.URLInput(attrs={"placeholder": "https://shop.example.com/hooks/onpay", "autocomplete": "off"}),
        help_text=gettext_lazy("A public HTTPS address that answers 2xx within 15 seconds."),
    )
    description = forms.CharField(label=gettext_lazy("Description"), max_length=255, required=False)
    everything = forms.BooleanField(
        label=gettext_lazy("All event types, including those added later"), required=False, initial=True
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Only these types"),
        choices=[(kind, sentence) for kind, sentence in KIND.items() if kind != TEST],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, merchant: Merchant, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.merchant = merchant

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        for fault in services.url_faults(self.merchant, url):
            raise forms.ValidationError(fault.message)
        return url

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "events" in given and not given.get("everything") and not given["events"]:
            self.add_error("events", _("Choose at least one type, or all of them."))
        return given

    def wishes(self) -> dict[str, Any]:
        """What the services take."""
        given = self.cleaned_data
        events = [EVERYTHING] if given["everything"] else given["events"]
        return {"url": given["url"], "events": events, "description": given["description"] or None}


class SecretRotationForm(OnceForm):
    """How long the secret of now signs beside the new one."""

    overlap = forms.ChoiceField(
        label=gettext_lazy("The old secret keeps signing for another"),
        choices=OVERLAPS,
        widget=forms.RadioSelect,
        initial="24",
    )


@require_safe
@page_view(May.READ_TECHNICAL)
def webhooks(request: HttpRequest, here: RequestContext) -> HttpResponse:
    endpoints, well = list(selectors.endpoints(here.merchant)), health(here.merchant)
    rows = [(one, well[one.pk], switched_off_at(one)) for one in endpoints]
    return here.render("webhooks/list.html", rows=rows, is_full=len(rows) >= MAX_ENDPOINTS, most=MAX_ENDPOINTS)


def _which(here: RequestContext, webhook_id: str) -> Facts:
    return [(_("Endpoint"), selectors.endpoint(here.merchant, webhook_id).url)]


def _switched(here: RequestContext, webhook_id: str) -> Facts:
    is_wanted = here.request.POST.get("status") == Endpoint.Status.ACTIVE
    return [*_which(here, webhook_id), (_("Status"), _("On") if is_wanted else _("Off"))]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Register a webhook endpoint"), EndpointForm))
def new(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Registers an endpoint. The answer to the form shows its secret, this once."""
    form = EndpointForm(here.merchant, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made, secret = _register(here, form)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.render("webhooks/shown.html", endpoint=made, secret=secret, is_new=True)
    return here.render("webhooks/edit.html", form=form)


@transaction.atomic
def _register(here: RequestContext, form: EndpointForm) -> tuple[Endpoint, str]:
    here.claim(form)
    made, secret = services.register(here.merchant, **form.wishes())
    here.record("webhook.created", made.pk, after=_facts(made))
    return made, secret


def _facts(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "url": endpoint.url,
        "events": endpoint.events,
        "description": endpoint.description,
        "status": endpoint.status,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Change a webhook endpoint"), EndpointForm, _which))
def edit(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """Another address, other kinds, another description."""
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
        _change(here, known, **form.wishes())
        return here.go("webhook", known.pk, said=_("Saved."))
    return here.render("webhooks/edit.html", form=form, endpoint=known)


@transaction.atomic
def _change(here: RequestContext, known: Endpoint, **wanted: Any) -> None:
    """What is not different is not set: a new address forgets what went wrong at the old one."""
    before = _facts(known)
    different = {name: value for name, value in wanted.items() if before[name] != value}
    if different:
        services.change(here.merchant, known.pk, **different)
        here.record("webhook.changed", known.pk, before={name: before[name] for name in different}, after=different)


@require_POST
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Enable or disable a webhook endpoint"), about=_switched))
def switch(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """On or off."""
    known = selectors.endpoint(here.merchant, webhook_id)
    is_wanted = request.POST.get("status") == Endpoint.Status.ACTIVE
    _change(here, known, status=Endpoint.Status.ACTIVE if is_wanted else Endpoint.Status.INACTIVE)
    said = _("Enabled. Events from the meantime can be replayed.") if is_wanted else _("Disabled.")
    return here.go("webhook", known.pk, said=said)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(
    May.DEVELOP, steps_up=action(gettext_lazy("Replace the secret of a webhook endpoint"), SecretRotationForm, _which)
)
def rotate(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """A new secret, shown this once; the old one signs beside it for a while."""
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
    """Asks, then deletes."""
    known = selectors.endpoint(here.merchant, webhook_id)
    if request.method == "POST":
        with transaction.atomic():
            services.delete(here.merchant, known.pk)
            here.record("webhook.deleted", known.pk, before=_facts(known))
        return here.go("webhooks", said=_("The endpoint was deleted."))
    return here.render("webhooks/delete.html", endpoint=known, health=health(here.merchant, known.pk)[known.pk])


def overview(here: RequestContext, known: Endpoint) -> dict[str, Any]:
    """What the pages of one endpoint have at their top."""
    return {
        "endpoint": known,
        "health": health(here.merchant, known.pk)[known.pk],
        "switched_off_at": switched_off_at(known),
        "given_up": FAILED_AT_LEAST,
    }


urls = [
    path("webhooks/", webhooks, name="webhooks"),
    path("webhooks/new", new, name="new_webhook"),
    path("webhooks/<str:webhook_id>/edit", edit, name="edit_webhook"),
    path("webhooks/<str:webhook_id>/status", switch, name="switch_webhook"),
    path("webhooks/<str:webhook_id>/secret", rotate, name="rotate_webhook"),
    path("webhooks/<str:webhook_id>/delete", delete, name="delete_webhook"),
]
