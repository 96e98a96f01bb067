"""Somebody of the team: another role, or out of it."""

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts import joining
from accounts.base.errors import Refusal
from accounts.models import Membership
from accounts.roles import May, Role
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.refusals import in_words
from gateway.dashboard.team.new import role_choices
from gateway.dashboard.words import ROLE


class RoleForm(DashboardForm):
    """A new role for a member."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=role_choices, widget=forms.RadioSelect)


def _member_facts(here: RequestContext, member_id: int) -> Facts:
    found = _member(here, member_id)
    return [(_("Member"), found.user.email), (_("Current role"), ROLE[Role(found.role)][0])]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Change a role"), RoleForm, _member_facts))
def member(request: HttpRequest, here: RequestContext, member_id: int) -> HttpResponse:
    """Changes a member's role."""
    found = _member(here, member_id)
    form = RoleForm(request.POST if request.method == "POST" else None, initial={"role": found.role})
    if form.is_valid():
        try:
            joining.change_role(request, here.company, member_id, Role(form.cleaned_data["role"]))
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("team", message=_("The role of %(email)s was changed.") % {"email": found.user.email})
    return here.render("team/detail.html", form=form, member=found, title=ROLE[Role(found.role)][0])


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Remove from the team"), about=_member_facts))
def remove(request: HttpRequest, here: RequestContext, member_id: int) -> HttpResponse:
    """Asks for confirmation, then removes a member."""
    found, refusal = _member(here, member_id), None
    if request.method == "POST":
        try:
            joining.remove(request, here.company, member_id)
        except Refusal as refused:
            refusal = refused
        else:
            return _after_removal(here, found)
    return here.render(
        "team/remove.html", member=found, title=ROLE[Role(found.role)][0], refusal=refusal and in_words(refusal)
    )


def _after_removal(here: RequestContext, found: Membership) -> HttpResponse:
    if found.user_id == here.user.pk:
        return HttpResponseRedirect(reverse("dashboard:root"))
    return here.redirect("team", message=_("%(email)s was removed from the team.") % {"email": found.user.email})


def _member(here: RequestContext, member_id: int) -> Membership:
    found = joining.member(here.company, member_id)
    if found is None:
        raise Http404
    return found
