"""API keys: issued, looked after, replaced and revoked. The text of a key is in one answer and nowhere else."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts import selectors, services
from accounts.advice import advice, idle_permissions, last_use
from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.models import ApiKey, Environment
from accounts.permissions import ALL, PRODUCTION_DEFAULT
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.developers.words import ADVICE, PERMISSION
from gateway.dashboard.forms import OnceForm

READING = tuple(name for name in ALL if name.endswith(":read"))
CHECKOUT = ("payments:write", "transactions:read", "payment-methods:read")
PRESETS = (
    ("everything", gettext_lazy("Everything"), ALL),
    ("no-money-out", gettext_lazy("Everything except outgoing money"), PRODUCTION_DEFAULT),
    ("checkout", gettext_lazy("Checkout only"), CHECKOUT),
    ("reading", gettext_lazy("Read only"), READING),
)
OVERLAPS = (
    ("0", gettext_lazy("It stops immediately")),
    ("1", gettext_lazy("1 hour")),
    ("24", gettext_lazy("24 hours")),
    ("168", gettext_lazy("7 days")),
    ("720", gettext_lazy("30 days")),
    ("", gettext_lazy("Until a time that I choose")),
)
LONGEST_OVERLAP = timedelta(days=90)


class KeyForm(OnceForm):
    """What a key is called, and what it may do."""

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


class KeyRotationForm(OnceForm):
    """How long the key of now goes on working."""

    overlap = forms.ChoiceField(
        label=gettext_lazy("The old key keeps working for another"),
        choices=OVERLAPS,
        widget=forms.RadioSelect,
        initial="24",
        required=False,
    )
    until = forms.DateTimeField(
        label=gettext_lazy("Until"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=gettext_lazy("Only if you choose a time yourself; at most 90 days ahead."),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "overlap" in given and not given["overlap"]:
            self._require_a_time(given.get("until"))
        return given

    def _require_a_time(self, until: datetime | None) -> None:
        now = utcnow()
        if "until" not in self.errors and not (until and now < until <= now + LONGEST_OVERLAP):
            self.add_error("until", _("Choose a time within the next 90 days."))

    def ends_at(self) -> datetime:
        hours = self.cleaned_data["overlap"]
        return utcnow() + timedelta(hours=int(hours)) if hours else self.cleaned_data["until"]


@dataclass(frozen=True)
class KeyCard:
    """A key as it is shown."""

    key: ApiKey
    issuer: str | None

    @property
    def begins(self) -> str:
        return services.KEY_PREFIX[Environment(self.key.merchant.environment)]

    @property
    def advice(self) -> list[tuple[Any, Any]]:
        return [ADVICE[one] for one in advice(self.key)]

    @property
    def may_everything(self) -> bool:
        return set(self.key.permissions) == set(ALL)

    @property
    def may_withdraw(self) -> bool:
        return "withdrawals:write" in self.key.permissions

    @property
    def uses(self) -> list[tuple[str, Any, date | None, bool]]:
        """Each permission: its sentence, the day it was last made use of, and whether it lies idle."""
        idle = set(idle_permissions(self.key))
        return [(name, PERMISSION[name], last_use(self.key, name), name in idle) for name in self.key.permissions]


@require_safe
@page_view(May.READ_TECHNICAL)
def keys(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """The keys that work; with `?ended=1` also those that do not any more."""
    live, ended = _cards(here, selectors.live_keys(here.merchant)), []
    if shows_ended := "ended" in request.GET:
        ended = _cards(here, selectors.dead_keys(here.merchant)[:100])
    to_do = sum(bool(card.advice) for card in live)
    return here.render("keys/list.html", cards=live, ended=ended, shows_ended=shows_ended, to_do=to_do)


def _cards(here: RequestContext, found: Any) -> list[KeyCard]:
    rows = list(found)
    known = selectors.issuers(rows)
    return [KeyCard(row, known.get(row.pk)) for row in rows]


def _which(here: RequestContext, key_id: str) -> Facts:
    key = _key(here, key_id)
    return [(_("Key"), key), (_("Permissions"), ", ".join(key.permissions))]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Issue an API key"), KeyForm))
def new(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Issues a key. The answer to the form shows its text, this once."""
    form = KeyForm(request.POST or None, initial={"permissions": _preset(here, request.GET.get("preset"))})
    if request.method == "POST" and form.is_valid():
        try:
            key, text = _issue(here, form)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.render("keys/shown.html", key=key, text=text, curl=_example(key))
    return here.render("keys/new.html", form=form, presets=PRESETS)


@transaction.atomic
def _issue(here: RequestContext, form: KeyForm) -> tuple[ApiKey, str]:
    here.claim(form)
    given = form.cleaned_data
    key, text = services.issue_key(here.merchant, given["permissions"], given["name"], by=here.user)
    here.record("api_key.issued", key.pk, after={"name": key.name, "permissions": key.permissions})
    return key, text


def _preset(here: RequestContext, asked: str | None) -> list[str]:
    """What is ticked at first: in production nothing that moves money out, and nothing that this person may not."""
    usual = "everything" if here.is_sandbox else "no-money-out"
    chosen = {name: permissions for name, _title, permissions in PRESETS}
    allowed = services.grantable(here.merchant, here.user)
    return [name for name in chosen.get(asked or usual, chosen[usual]) if name in allowed]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Replace an API key"), KeyRotationForm, _which))
def rotate(request: HttpRequest, here: RequestContext, key_id: str) -> HttpResponse:
    """A new key with the same permissions; both work until the old one ends."""
    key, form = _key(here, key_id), KeyRotationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        until = form.ends_at()
        try:
            made, text = _rotate(here, form, key, until)
        except services.KeyUnusable:
            return here.go("keys", said=_("This key is inactive, or was already replaced."))
        return here.render("keys/shown.html", key=made, text=text, replaced=key, until=until, curl=_example(made))
    return here.render("keys/rotate.html", form=form, key=key)


@transaction.atomic
def _rotate(here: RequestContext, form: KeyRotationForm, key: ApiKey, until: datetime) -> tuple[ApiKey, str]:
    here.claim(form)
    made, text = services.rotate_key(key, until, by=here.user)
    here.record("api_key.rotated", made.pk, before={"key": key.pk}, after={"old_works_until": until.isoformat()})
    return made, text


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Revoke an API key"), about=_which))
def revoke(request: HttpRequest, here: RequestContext, key_id: str) -> HttpResponse:
    """Asks, then ends a key for good."""
    key = _key(here, key_id)
    if request.method == "POST" and key.is_live:
        with transaction.atomic():
            services.revoke_key(key)
            here.record("api_key.revoked", key.pk, before={"name": key.name, "permissions": key.permissions})
        return here.go("keys", said=_("The key was revoked."))
    if not key.is_live:
        return here.go("keys", said=_("This key is inactive."))
    recently = key.last_used_at is not None and key.last_used_at > utcnow() - timedelta(days=1)
    return here.render("keys/revoke.html", key=key, recently=recently)


READS = {
    "payment-methods:read": "/payment-methods",
    "transactions:read": "/payments",
    "webhooks:read": "/events",
    "customers:read": "/customers",
    "withdrawals:read": "/withdrawals",
    "balances:read": "/companies/{company}/balance",
    "companies:read": "/companies/{company}",
}
"""What each permission can be tried with."""


def _example(key: ApiKey) -> str:
    """A call that the key may make; empty where it may read nothing."""
    base = settings.SANDBOX_BASE_URL if key.merchant.environment == Environment.SANDBOX else settings.BASE_URL
    path = next((path for name, path in READS.items() if name in key.permissions), "")
    asked = f"{base}/api/v2{path.format(company=key.merchant.company_id)}"
    return f'curl -s "{asked}" -H "x-api-key: $KEY"' if path else ""


def _key(here: RequestContext, key_id: str) -> ApiKey:
    key = selectors.api_key(here.merchant, key_id)
    if key is None:
        raise Http404
    return key


urls = [
    path("keys/", keys, name="keys"),
    path("keys/new", new, name="new_key"),
    path("keys/<str:key_id>/rotate", rotate, name="rotate_key"),
    path("keys/<str:key_id>/revoke", revoke, name="revoke_key"),
]
