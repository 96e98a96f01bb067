"""Issues a key. Its text is in one response only."""

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts import services
from accounts.base.errors import Refusal
from accounts.environments import base_url
from accounts.models import ApiKey
from accounts.permissions import ALL, PRODUCTION_DEFAULT
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.keys.words import PERMISSION

READING = tuple(name for name in ALL if name.endswith(":read"))


CHECKOUT = ("payments:write", "transactions:read", "payment-methods:read")


PRESETS = (
    ("everything", gettext_lazy("Everything"), ALL),
    ("no-money-out", gettext_lazy("Everything except outgoing money"), PRODUCTION_DEFAULT),
    ("checkout", gettext_lazy("Checkout only"), CHECKOUT),
    ("reading", gettext_lazy("Read only"), READING),
)


class KeyForm(OnceForm):
    """Name and permissions of a key."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("What will use it: shop backend, ERP, …"),
    )
    permissions = forms.MultipleChoiceField(
        label=gettext_lazy("Permissions"),
        choices=list(PERMISSION.items()),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one.")},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Issue an API key"), KeyForm))
def new(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Issues a key. The response to the form shows its text once."""
    form = KeyForm(request.POST or None, initial={"permissions": _preset(here, request.GET.get("preset"))})
    if request.method == "POST" and form.is_valid():
        try:
            key, text = _issue(here, form)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.render("keys/shown.html", key=key, text=text, curl=example(key))
    return here.render("keys/new.html", form=form, presets=PRESETS)


@transaction.atomic
def _issue(here: RequestContext, form: KeyForm) -> tuple[ApiKey, str]:
    here.claim(form)
    given = form.cleaned_data
    key, text = services.issue_key(here.merchant, given["permissions"], given["name"], by=here.user)
    here.record("api_key.issued", key.pk, after={"name": key.name, "permissions": key.permissions})
    return key, text


def _preset(here: RequestContext, asked: str | None) -> list[str]:
    """Preselected permissions: none that withdraw or convert, and none the person does not have."""
    usual = "no-money-out"
    chosen = {name: permissions for name, _title, permissions in PRESETS}
    allowed = services.grantable(here.merchant, here.user)
    return [name for name in chosen.get(asked or usual, chosen[usual]) if name in allowed]


READS = {
    "payment-methods:read": "/payment-methods",
    "transactions:read": "/payments",
    "webhooks:read": "/events",
    "customers:read": "/customers",
    "withdrawals:read": "/withdrawals",
    "balances:read": "/companies/me/balance",
    "companies:read": "/companies/me",
}
"""An example call for each permission."""


def example(key: ApiKey) -> str:
    """The variables of the guides, and a call that the key may make; empty if it may read nothing."""
    path = next((path for name, path in READS.items() if name in key.permissions), "")
    if not path:
        return ""
    return (
        f"export ONPAY_API_KEY=… ONPAY_BASE_URL={base_url(key.merchant.environment)}\n"
        f'curl -s $ONPAY_BASE_URL/api/v2{path} -H "x-api-key: $ONPAY_API_KEY"'
    )
