"""Starting a readiness check, and the checks so far."""

from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.paging import page_of
from gateway.readiness import selectors, services
from gateway.readiness.models import ReadinessCheck
from webhooks.models import Endpoint
from webhooks.selectors import endpoints


class CheckForm(OnceForm):
    """One of the active endpoints."""

    endpoint = forms.ChoiceField(
        label=gettext_lazy("Webhook endpoint"),
        help_text=gettext_lazy("Its deliveries are disturbed, and so are the responses to your sandbox keys."),
    )

    def __init__(self, here: RequestContext, data: Any = None) -> None:
        super().__init__(data)
        active = endpoints(here.merchant).filter(status=Endpoint.Status.ACTIVE)
        self.fields["endpoint"].choices = [(one.pk, one.url) for one in active]  # type: ignore[attr-defined]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.SIMULATE, sandbox_only=True)
def readiness_checks(request: HttpRequest, here: RequestContext) -> HttpResponse:
    form = CheckForm(here, request.POST if request.method == "POST" else None)
    if form.is_valid() and (check := _started(here, form)):
        return here.redirect("readiness_check", check.pk, message=_("The check runs. Do what the page lists."))
    return here.render(
        "readiness/list.html",
        form=form,
        running=selectors.running(here.merchant),
        page=page_of(selectors.checks(here.merchant).exclude(finished_at=None), request.GET),
    )


def _started(here: RequestContext, form: CheckForm) -> ReadinessCheck | None:
    """The check, or None if it was refused and the form says why."""
    try:
        with transaction.atomic():
            here.claim(form)
            check = services.start(here.merchant, form.cleaned_data["endpoint"], by=here.user)
            here.record("readiness_check.started", check.pk, after={"endpoint": check.endpoint_id})
    except Refusal as refusal:
        form.refuse(refusal)
        return None
    return check
