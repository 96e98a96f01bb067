"""Pages of a person rather than of a company: start, preferences, joining."""

import zoneinfo
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts import joining
from accounts.base.errors import Refusal
from accounts.emails.topics import Topic
from accounts.environments import served, serves
from accounts.forms import NewCompanyFields
from accounts.models import LANGUAGES, Membership, User
from gateway.dashboard.access import LAST
from gateway.dashboard.forms import DashboardForm
from gateway.methods.models import CURRENCIES


class MeForm(DashboardForm):
    """Language, time zone and notifications of this person."""

    first_name = forms.CharField(label=gettext_lazy("First name"), max_length=150, required=False)
    last_name = forms.CharField(label=gettext_lazy("Last name"), max_length=150, required=False)
    language = forms.ChoiceField(
        label=gettext_lazy("Language"), choices=[("", gettext_lazy("Same as the browser")), *LANGUAGES], required=False
    )
    time_zone = forms.ChoiceField(label=gettext_lazy("Time zone"), required=False)
    reporting_currency = forms.ChoiceField(
        label=gettext_lazy("Add up all currencies in"),
        choices=[("", gettext_lazy("None")), *CURRENCIES],
        required=False,
        help_text=gettext_lazy("On the page of sales, at the market rates of each day."),
    )
    told = forms.MultipleChoiceField(
        label=gettext_lazy("Notify me by e-mail"),
        choices=Topic.choices,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy(
            "Limited to what your role can see. Security e-mails are always sent: keys, members, new "
            "destinations, the withdrawal address."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = sorted(name for name in zoneinfo.available_timezones() if "/" in name or name == "UTC")
        browsers = [("", gettext_lazy("Same as the browser"))]
        self.fields["time_zone"].choices = [*browsers, *((zone, zone) for zone in zones)]  # type: ignore[attr-defined]


class NewCompanyForm(NewCompanyFields, DashboardForm):
    """Another company of the same person."""


@require_safe
@login_required
def root(request: HttpRequest) -> HttpResponse:
    """Redirects to the last viewed company, else to the first one, else to creating one."""
    memberships = Membership.objects.filter(user=_person(request)).order_by("created_at", "pk")
    company, environment = request.session.get(LAST, (None, ""))
    found = memberships.filter(company=company).first() or memberships.first()
    if found is None:
        return HttpResponseRedirect(reverse("dashboard:new_company"))
    environment = environment if serves(environment.upper()) else _first()
    return HttpResponseRedirect(reverse("dashboard:home", args=(found.company_id, environment)))


@require_safe
@login_required
def still_here(request: HttpRequest) -> HttpResponse:
    """Called when the person confirms that they are active: restarts the inactivity timeout."""
    return HttpResponse(status=204)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def me(request: HttpRequest) -> HttpResponse:
    """Name, language, time zone and e-mail notifications of the person."""
    user, names = _person(request), [name for name in MeForm.base_fields if name != "told"]
    told = [topic for topic in Topic.values if topic not in user.muted]
    form = MeForm(request.POST or None, initial={name: getattr(user, name) for name in names} | {"told": told})
    if request.method == "POST" and form.is_valid():
        for name in names:
            setattr(user, name, form.cleaned_data[name])
        user.muted = [topic for topic in Topic.values if topic not in form.cleaned_data["told"]]
        user.save(update_fields=[*names, "muted"])
        messages.success(request, _("Saved."))
        return HttpResponseRedirect(reverse("dashboard:me"))
    return render(request, "dashboard/me.html", {"form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_company(request: HttpRequest) -> HttpResponse:
    """Creates another company; its sandbox works immediately."""
    user = _person(request)
    form = NewCompanyForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = joining.found(request, user, form.company(user.email))
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return HttpResponseRedirect(reverse("dashboard:home", args=(made.company_id, _first())))
    return render(request, "dashboard/new_company.html", {"form": form})


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Shows an invitation. It is accepted with a button, by the person with the address it was sent to."""
    found = joining.invitation_of(token)
    if found is None:
        return render(request, "dashboard/invitation.html", {"invitation": None}, status=410)
    request.session[joining.INVITATION] = token
    if request.method == "POST":
        if not request.user.is_authenticated:
            raise Http404
        try:
            joined = joining.accept(request, token)
        except joining.InvitationUnusable:
            messages.error(request, _("This invitation is for another e-mail address."))
        else:
            del request.session[joining.INVITATION]
            return HttpResponseRedirect(reverse("dashboard:home", args=(joined.company_id, _first())))
    return render(request, "dashboard/invitation.html", {"invitation": found})


def _first() -> str:
    """The environment that a person sees first."""
    return served()[0].lower()


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
