"""Inviting somebody to the team."""

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts import joining
from accounts.base.errors import Refusal
from accounts.models import Invitation
from accounts.roles import May, Role
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.words import ROLE


def role_choices() -> list[tuple[str, str]]:
    return [(role.value, f"{ROLE[role][0]}: {ROLE[role][1]}") for role in Role]


class InviteForm(OnceForm):
    """E-mail and role of an invitation."""

    email = forms.EmailField(label=gettext_lazy("E-mail address"))
    role = forms.ChoiceField(
        label=gettext_lazy("Role"), choices=role_choices, widget=forms.RadioSelect, initial=Role.VIEWER
    )

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


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
            return here.redirect("team", message=_("%(email)s was invited.") % {"email": email})
    return here.render("team/new.html", form=form)


@require_POST
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Send a new invitation"), about=_invited))
def resend(request: HttpRequest, here: RequestContext, invitation_id: str) -> HttpResponse:
    """Sends a new link, which invalidates the one before."""
    invitation = _invitation(here, invitation_id)
    joining.invite(request, here.company, invitation.email, Role(invitation.role))
    return here.redirect("team", message=_("A new invitation was sent to %(email)s.") % {"email": invitation.email})


@require_POST
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Withdraw an invitation"), about=_invited))
def withdraw(request: HttpRequest, here: RequestContext, invitation_id: str) -> HttpResponse:
    invitation = _invitation(here, invitation_id)
    joining.withdraw(request, here.company, invitation.pk)
    return here.redirect("team", message=_("The invitation of %(email)s was withdrawn.") % {"email": invitation.email})


def _invitation(here: RequestContext, invitation_id: str) -> Invitation:
    found = joining.open_invitation(here.company, invitation_id)
    if found is None:
        raise Http404
    return found
