"""Staff decisions on a company's page: standing, withdrawal address, team."""

from typing import Any, ClassVar

from django import forms
from django.contrib.admin.utils import unquote
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts import standing
from accounts.audit import Actor
from accounts.models import Company, User
from accounts.proposals.kinds import KINDS
from accounts.proposals.people import place_id
from accounts.roles import Role
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, Done, StaffAdmin

Status = Company.Status
POSSIBLE: dict[str, tuple[Company.Status, ...]] = {
    "suspend": (Status.ACTIVE, Status.PENDING_VERIFICATION),
    "lift": (Status.SUSPENDED,),
    "close": (Status.ACTIVE, Status.PENDING_VERIFICATION, Status.SUSPENDED),
    "change_address": (Status.ACTIVE, Status.PENDING_VERIFICATION, Status.SUSPENDED),
    "add_member": (Status.ACTIVE, Status.PENDING_VERIFICATION, Status.SUSPENDED),
}
"""The statuses in which each action is offered."""


class ReasonForm(forms.Form):
    note = NoteField("Sent to the company by e-mail")


class WithdrawalAddressForm(NoteForm):
    address = forms.CharField(
        required=False,
        max_length=45,
        widget=UnfoldAdminTextInputWidget,
        help_text="One public IPv4 or IPv6 address. Leave empty to disable withdrawals through the API",
    )
    field_order = ("address", "note")


class MemberRoleForm(NoteForm):
    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER, widget=UnfoldAdminSelectWidget)
    field_order = ("role", "note")


class MemberForm(NoteForm):
    """Adds a person with an account; others are invited by an owner."""

    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER, widget=UnfoldAdminSelectWidget)
    email = forms.EmailField(widget=UnfoldAdminEmailInputWidget, help_text="The person must already have an account")
    field_order = ("email", "role", "note")

    def clean_email(self) -> User:
        person = User.objects.filter(email=str(self.cleaned_data["email"]).lower()).first()
        if person is None:
            raise ValidationError(_("No account has this address. An owner of the company can invite this person."))
        return person


class CompanyStatusActions(StaffAdmin):
    """Each action has its own permission."""

    actions_detail: ClassVar[Any] = tuple(POSSIBLE)

    def has_suspend_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.suspend_company")

    def has_lift_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.lift_suspension")

    def has_close_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.close_company")

    def has_address_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.change_withdrawal_address")

    def has_team_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.manage_members")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what the company's status allows."""
        company = self.get_object(request, unquote(str(object_id)))
        offered = super().get_actions_detail(request, object_id)
        return [one for one in offered if company and (one.path not in POSSIBLE or _may_be(one.path, company))]

    @action(description="Suspend", permissions=["suspend"], icon="pause_circle", variant=ActionVariant.DANGER)
    def suspend(self, request: HttpRequest, object_id: str) -> HttpResponse:
        company = self.record(request, object_id)
        form = ReasonForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = _(
                "It can no longer take payments or move money, from now on. Its owners receive the reason by e-mail."
            )
            return self.decision(request, company, _("Suspend this company"), sentence=sentence, form=form)
        reason = form.cleaned_data["note"]

        def act() -> Done:
            standing.suspend(Actor.of(request), company, reason)
            return Done(company, "", f"Suspended: {reason}", _("%(company)s was suspended.") % {"company": company})

        return self.carry_out(request, company, act)

    @action(description="Lift the suspension", permissions=["lift"], icon="play_circle")
    def lift(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "company.lift_suspension")

    @action(description="Close this company", permissions=["close"], icon="cancel", variant=ActionVariant.DANGER)
    def close(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "company.close")

    def _propose(self, request: HttpRequest, object_id: str, kind_name: str) -> HttpResponse:
        company, kind = self.record(request, object_id), KINDS[kind_name]
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = f"{kind.sentence(company, {})} {TWO_PEOPLE}"
            return self.decision(request, company, kind.title, sentence=sentence, form=form)
        return self.put(request, company, kind, {}, form.cleaned_data["note"])

    @action(description="Change the withdrawal address", permissions=["address"], icon="lan")
    def change_address(self, request: HttpRequest, object_id: str) -> HttpResponse:
        company, kind = self.record(request, object_id), KINDS["company.withdrawal_address"]
        form = WithdrawalAddressForm(request.POST if request.method == "POST" else None)
        form.initial["address"] = company.withdrawal_ip
        if not form.is_valid():
            sentence = f"{kind.sentence(company, {})} {TWO_PEOPLE}"
            return self.decision(request, company, kind.title, sentence=sentence, form=form)
        values = {"address": form.cleaned_data["address"].strip()}
        return self.put(request, company, kind, values, form.cleaned_data["note"])

    @action(description="Add a member", permissions=["team"], icon="person_add")
    def add_member(self, request: HttpRequest, object_id: str) -> HttpResponse:
        company, kind = self.record(request, object_id), KINDS["membership"]
        form = MemberForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = f"{kind.sentence(company, {})} {TWO_PEOPLE}"
            return self.decision(request, company, _("Add a member"), sentence=sentence, form=form)
        place = place_id(company.pk, form.cleaned_data["email"].pk)
        values = {"role": form.cleaned_data["role"]}
        return self.put(request, company, kind, values, form.cleaned_data["note"], place)


def _may_be(name: str, company: Company) -> bool:
    return Status(company.status) in POSSIBLE[name]
