"""Chaos mode: what goes wrong on purpose, until when, and what was disturbed so far."""

import uuid
from datetime import timedelta
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.chaos import selectors, services
from gateway.chaos.disturbances import ALL
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from webhooks.models import Endpoint
from webhooks.selectors import endpoints

MINUTES = {"5": gettext_lazy("5 minutes"), "15": gettext_lazy("15 minutes"), "60": gettext_lazy("1 hour")}
MOST = 50
"""Disturbed requests that are shown."""


class ChaosForm(OnceForm):
    """What is disturbed, where, and for how long."""

    disturbances = forms.MultipleChoiceField(
        label=gettext_lazy("What goes wrong"),
        choices=list(ALL.items()),
        widget=forms.CheckboxSelectMultiple,
        initial=list(ALL),
        error_messages={"required": gettext_lazy("Choose at least one.")},
    )
    endpoint = forms.ChoiceField(label=gettext_lazy("Endpoint"), required=False)
    minutes = forms.ChoiceField(label=gettext_lazy("Ends by itself after"), choices=list(MINUTES.items()), initial="15")

    def __init__(self, here: RequestContext, *args: Any) -> None:
        super().__init__(*args)
        active = endpoints(here.merchant).filter(status=Endpoint.Status.ACTIVE)
        chosen = self.fields["endpoint"]
        assert isinstance(chosen, forms.ChoiceField)
        chosen.choices = [("", _("Every active endpoint")), *((one.pk, one.url) for one in active)]


@require_safe
@page_view(May.SIMULATE, sandbox_only=True)
def chaos(request: HttpRequest, here: RequestContext) -> HttpResponse:
    return _shown(here, ChaosForm(here))


def _shown(here: RequestContext, form: ChaosForm) -> HttpResponse:
    run = selectors.active(here.merchant)
    return here.render(
        "lab/chaos.html",
        form=form,
        once=uuid.uuid4(),
        run=run,
        told=[(one, ALL[one]) for one in run.disturbances] if run else [],
        requests=list(run.requests.order_by("-at")[:MOST]) if run else [],
    )


@require_POST
@page_view(May.SIMULATE, sandbox_only=True)
def start(request: HttpRequest, here: RequestContext) -> HttpResponse:
    form = ChaosForm(here, request.POST)
    if form.is_valid():
        try:
            _start(here, form)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("chaos", message=_("Chaos mode has started."))
    return _shown(here, form)


@transaction.atomic
def _start(here: RequestContext, form: ChaosForm) -> None:
    here.claim(form, here.to("chaos"))
    wanted = form.cleaned_data
    run = services.start(
        here.merchant,
        wanted["disturbances"],
        endpoint_id=wanted["endpoint"] or None,
        lasts=timedelta(minutes=int(wanted["minutes"])),
    )
    here.record("chaos.started", run.id, after={"disturbances": run.disturbances, "endpoints": run.endpoint_ids})


@require_POST
@page_view(May.SIMULATE, sandbox_only=True)
def end(request: HttpRequest, here: RequestContext) -> HttpResponse:
    with transaction.atomic():
        if selectors.active(here.merchant):
            run = services.end(here.merchant)
            here.record("chaos.ended", run.id)
    return here.redirect("chaos", message=_("Chaos mode is off."))
