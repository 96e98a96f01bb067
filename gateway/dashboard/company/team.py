"""Who works for the company: roles, second factors, invitations."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import joining
from accounts.base.errors import Refusal
from accounts.models import Invitation, Membership
from accounts.roles import GRANTS, May, Role
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.company.words import FACTOR, MAY
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm, OnceForm
from gateway.dashboard.refusals import in_words
from gateway.dashboard.words import ROLE


def _choices() -> list[tuple[str, str]]:
    return [(role.value, f"{ROLE[role][0]}: {ROLE[role][1]}") for role in Role]


class InviteForm(OnceForm):
    """Whom, and as what."""

    email = forms.EmailField(label=gettext_lazy("E-mail address"))
    role = forms.ChoiceField(
        label=gettext_lazy("Role"), choices=_choices, widget=forms.RadioSelect, initial=Role.VIEWER
    )

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class RoleForm(DashboardForm):
    """Another role for somebody."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=_choices, widget=forms.RadioSelect)


@dataclass(frozen=True)
class Person:
    """Somebody of the team, with the second factors that they have set up."""

    membership: Membership
    factors: list[Promise]


@require_safe
@page_view(May.READ_PAYMENTS)
def team(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Everybody by role, who was invited, and what each role may."""
    factors = joining.factors(here.company)
    people = [
        Person(one, [FACTOR[kind] for kind in factors.get(one.user_id, ())]) for one in joining.team(here.company)
    ]
    groups = [(ROLE[role], [one for one in people if one.membership.role == role]) for role in Role]
    return here.render(
        "team/list.html",
        groups=[(*said, found) for said, found in groups if found],
        invitations=[(one, joining.stands(one)) for one in joining.invited(here.company)],
        columns=[ROLE[role][0] for role in Role],
        matrix=_matrix(),
    )


def _matrix() -> list[tuple[Promise, Sequence[bool]]]:
    """What there is to do, and which role may."""
    return [(MAY[may], [may in GRANTS[role] for role in Role]) for may in May]


def _whom(here: RequestContext, member_id: int) -> Facts:
    found = _member(here, member_id)
    return [(_("Member"), found.user.email), (_("Current role"), ROLE[Role(found.role)][0])]


def _invited(here: RequestContext, invitation_id: str) -> Facts:
    found = _invitation(here, invitation_id)
    return [(_("E-mail address"), found.email), (_("Role"), ROLE[Role(found.role)][0])]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Invite to the team"), InviteForm))
def invite(request: HttpRequest, here: RequestContext) -> HttpResponse:
    form = InviteForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        email, role = form.cleaned_data["email"], Role(form.cleaned_data["role"])
        try:
            with transaction.atomic():
                here.claim(form)
                joining.invite(request, here.company, email, role)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.go("team", said=_("%(email)s was invited.") % {"email": email})
    return here.render("team/invite.html", form=form)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Change a role"), RoleForm, _whom))
def member(request: HttpRequest, here: RequestContext, member_id: int) -> HttpResponse:
    """Gives somebody another role."""
    found = _member(here, member_id)
    form = RoleForm(request.POST if request.method == "POST" else None, initial={"role": found.role})
    if form.is_valid():
        try:
            joining.change_role(request, here.company, member_id, Role(form.cleaned_data["role"]))
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.go("team", said=_("The role of %(email)s was changed.") % {"email": found.user.email})
    return here.render("team/member.html", form=form, member=found, title=ROLE[Role(found.role)][0])


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Remove from the team"), about=_whom))
def remove(request: HttpRequest, here: RequestContext, member_id: int) -> HttpResponse:
    """Asks, then takes somebody out of the team."""
    found, refusal = _member(here, member_id), None
    if request.method == "POST":
        try:
            joining.remove(request, here.company, member_id)
        except Refusal as refused:
            refusal = refused
        else:
            return _gone(here, found)
    return here.render(
        "team/remove.html", member=found, title=ROLE[Role(found.role)][0], refusal=refusal and in_words(refusal)
    )


def _gone(here: RequestContext, found: Membership) -> HttpResponse:
    if found.user_id == here.user.pk:
        return HttpResponseRedirect(reverse("dashboard:root"))
    return here.go("team", said=_("%(email)s was removed from the team.") % {"email": found.user.email})


@require_POST
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Send a new invitation"), about=_invited))
def resend(request: HttpRequest, here: RequestContext, invitation_id: str) -> HttpResponse:
    """Sends another link; the one before opens nothing any more."""
    invitation = _invitation(here, invitation_id)
    joining.invite(request, here.company, invitation.email, Role(invitation.role))
    return here.go("team", said=_("A new invitation was sent to %(email)s.") % {"email": invitation.email})


@require_POST
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Withdraw an invitation"), about=_invited))
def withdraw(request: HttpRequest, here: RequestContext, invitation_id: str) -> HttpResponse:
    invitation = _invitation(here, invitation_id)
    joining.withdraw(request, here.company, invitation.pk)
    return here.go("team", said=_("The invitation of %(email)s was withdrawn.") % {"email": invitation.email})


def _member(here: RequestContext, member_id: int) -> Membership:
    found = joining.member(here.company, member_id)
    if found is None:
        raise Http404
    return found


def _invitation(here: RequestContext, invitation_id: str) -> Invitation:
    found = joining.open_invitation(here.company, invitation_id)
    if found is None:
        raise Http404
    return found


urls = [
    path("team/", team, name="team"),
    path("team/invite", invite, name="invite"),
    path("team/<int:member_id>", member, name="member"),
    path("team/<int:member_id>/remove", remove, name="remove_member"),
    path("team/invitations/<str:invitation_id>/resend", resend, name="resend_invitation"),
    path("team/invitations/<str:invitation_id>/withdraw", withdraw, name="withdraw_invitation"),
]
