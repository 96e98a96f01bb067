"""The signature checker: why a receiver rejects a delivery. Input is examined in memory and not stored."""

import base64
import binascii
import json
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.moments import moment_field
from webhooks import selectors, services
from webhooks.inspection import sent
from webhooks.models import Attempt

TEXT, BASE64 = "text", "base64"
MOST_HEADERS = 100


class DoctorForm(DashboardForm):
    """The message as the receiver got it."""

    headers = forms.CharField(
        label=gettext_lazy("Headers"),
        max_length=16_384,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 7, "spellcheck": "false", "class": "form-control font-monospace"}),
        help_text=gettext_lazy("One per line, as “webhook-id: evt_…”, or as a JSON object. Include all that arrived."),
    )
    body = forms.CharField(
        label=gettext_lazy("Body"),
        max_length=262_144,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 7, "spellcheck": "false", "class": "form-control font-monospace"}),
        help_text=gettext_lazy(
            "Exactly what your code verifies. Base64 keeps every byte; browsers change line breaks."
        ),
    )
    form = forms.ChoiceField(
        label=gettext_lazy("The body is given as"),
        choices=[(TEXT, gettext_lazy("Text")), (BASE64, "Base64")],
        initial=TEXT,
    )
    secret = forms.CharField(
        label=gettext_lazy("Secret that your code uses"),
        max_length=1000,
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy(
            "Fill this in only if you want it checked, too. It is compared in memory and not stored."
        ),
    )
    received_at = moment_field(gettext_lazy("Arrived at"))

    def clean_headers(self) -> dict[str, str]:
        found = headers_in(self.cleaned_data["headers"])
        if not found:
            raise forms.ValidationError(_("No headers could be read."))
        return found

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        try:
            given["content"] = _content(given.get("body", ""), given.get("form", TEXT))
        except (binascii.Error, ValueError):
            self.add_error("body", _("This is not valid base64."))
        return given


def _content(body: str, form: str) -> bytes:
    """Browsers send every line break of a textarea as CR LF."""
    if form == BASE64:
        return base64.b64decode("".join(body.split()), validate=True)
    return body.replace("\r\n", "\n").encode("utf-8", "surrogatepass")


def headers_in(text: str) -> dict[str, str]:
    """Names and values from lines or a JSON object; anything else is skipped."""
    try:
        found = json.loads(text)
        pairs = list(found.items()) if isinstance(found, dict) else []
    except (ValueError, RecursionError):
        pairs = [line.partition(":")[::2] for line in text.splitlines() if ":" in line]
    return {str(name).strip(): str(value).strip() for name, value in pairs[:MOST_HEADERS]}


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.READ_TECHNICAL)
def doctor(request: HttpRequest, here: RequestContext, webhook_id: str) -> HttpResponse:
    """Asks for the input and shows the diagnosis. `?delivery=` starts with what we sent."""
    known = selectors.endpoint(here.merchant, webhook_id)
    form = DoctorForm(request.POST or None, initial=_as_sent(here, webhook_id, request.GET.get("delivery", "")))
    diagnosis = None
    if request.method == "POST" and form.is_valid():
        got = form.cleaned_data
        diagnosis = services.examine(
            here.merchant,
            webhook_id,
            got["headers"],
            got["content"],
            secret=got["secret"] or None,
            at=got["received_at"],
        )
    return here.render("webhooks/doctor.html", endpoint=known, form=form, diagnosis=diagnosis)


def _as_sent(here: RequestContext, webhook_id: str, delivery_id: str) -> dict[str, str]:
    if not delivery_id:
        return {}
    found = selectors.delivery(here.merchant, webhook_id, delivery_id)
    attempt = Attempt.objects.filter(delivery=found).order_by("-number").first()
    if attempt is None:
        return {"body": bytes(found.event.body).decode()}
    left = sent(found, attempt)
    lines = "\n".join(f"{name}: {value}" for name, value in left.headers.items())
    return {"headers": lines, "body": left.body.decode()}
