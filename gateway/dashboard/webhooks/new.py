"""A new endpoint. Its secret is in one answer and nowhere else."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.webhooks.detail import facts
from gateway.dashboard.webhooks.forms import EndpointForm
from webhooks import services
from webhooks.models import Endpoint


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Register a webhook endpoint"), EndpointForm))
def new(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Registers an endpoint. The response to the form shows its secret once."""
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
    made, secret = services.register(here.merchant, **form.values())
    here.record("webhook.created", made.pk, after=facts(made))
    return made, secret
