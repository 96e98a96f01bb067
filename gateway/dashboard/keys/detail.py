"""One key: rotation and revocation."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts import selectors, services
from accounts.base.clock import utcnow
from accounts.models import ApiKey
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.keys.new import example

OVERLAPS = (
    ("0", gettext_lazy("It stops immediately")),
    ("1", gettext_lazy("1 hour")),
    ("24", gettext_lazy("24 hours")),
    ("168", gettext_lazy("7 days")),
    ("720", gettext_lazy("30 days")),
    ("", gettext_lazy("Until a time that I choose")),
)


LONGEST_OVERLAP = timedelta(days=90)


class KeyRotationForm(OnceForm):
    """How long the old key keeps working."""

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


def _which(here: RequestContext, key_id: str) -> Facts:
    key = _key(here, key_id)
    return [(_("Key"), key), (_("Permissions"), ", ".join(key.permissions))]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.DEVELOP, steps_up=action(gettext_lazy("Replace an API key"), KeyRotationForm, _which))
def rotate(request: HttpRequest, here: RequestContext, key_id: str) -> HttpResponse:
    """A new key with the same permissions; both work until the old one expires."""
    key, form = _key(here, key_id), KeyRotationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        until = form.ends_at()
        try:
            made, text = _rotate(here, form, key, until)
        except services.KeyUnusable:
            return here.redirect("keys", message=_("This key is inactive, or was already replaced."))
        return here.render("keys/shown.html", key=made, text=text, replaced=key, until=until, curl=example(made))
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
    """Asks for confirmation, then revokes a key permanently."""
    key = _key(here, key_id)
    if request.method == "POST" and key.is_live:
        with transaction.atomic():
            services.revoke_key(key)
            here.record("api_key.revoked", key.pk, before={"name": key.name, "permissions": key.permissions})
        return here.redirect("keys", message=_("The key was revoked."))
    if not key.is_live:
        return here.redirect("keys", message=_("This key is inactive."))
    recently = key.last_used_at is not None and key.last_used_at > utcnow() - timedelta(days=1)
    return here.render("keys/revoke.html", key=key, recently=recently)


def _key(here: RequestContext, key_id: str) -> ApiKey:
    key = selectors.api_key(here.merchant, key_id)
    if key is None:
        raise Http404
    return key
