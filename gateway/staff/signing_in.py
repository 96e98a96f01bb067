"""Staff decisions on sign-in and staff rights: actions on the person's page."""

from typing import Any, ClassVar

from django import forms
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminEmailInputWidget, UnfoldBooleanWidget

from accounts import people, staff_invitations
from accounts.models import User
from accounts.proposals.kinds import KINDS, Values
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, Done, StaffAdmin


class PersonNoteForm(forms.Form):
    note = NoteField("Say how you verified the person's identity. Visible to staff only")


class EmailForm(PersonNoteForm):
    email = forms.EmailField(label="New e-mail address", widget=UnfoldAdminEmailInputWidget)
    field_order = ("email", "note")


class RightsForm(NoteForm):
    """`may_make_superusers`: only superusers create superusers."""

    is_staff = forms.BooleanField(label="Staff", required=False, widget=UnfoldBooleanWidget)
    is_superuser = forms.BooleanField(label="Superuser", required=False, widget=UnfoldBooleanWidget)
    groups = forms.ModelMultipleChoiceField(
        Group.objects.order_by("name"), required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget
    )
    field_order = ("is_staff", "is_superuser", "groups", "note")

    def __init__(self, person: User, may_make_superusers: bool, data: Any = None) -> None:
        super().__init__(data, initial=people.staff_rights(person))
        self.fields["is_superuser"].disabled = not may_make_superusers

    def values(self) -> dict[str, Any]:
        groups = sorted(group.pk for group in self.cleaned_data["groups"])
        return {**{name: self.cleaned_data[name] for name in ("is_staff", "is_superuser")}, "groups": groups}


class SigningIn(StaffAdmin):
    """People cannot decide about themselves, and only staff administrators decide about staff."""

    actions_detail: ClassVar[Any] = (
        "send_link", "change_email", "remove_second_factor", "deactivate", "reactivate", "staff_rights",
    )  # fmt: skip

    def has_login_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.change_login")

    def has_factor_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.remove_second_factor")

    def has_deactivate_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.deactivate_person")

    def has_rights_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.administer_staff")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        person = self.get_object(request, unquote(str(object_id)))
        if person is None or not _may_decide_about(request, person):
            return []
        impossible = {"reactivate" if person.is_active else "deactivate"}
        impossible |= set() if staff_invitations.is_waiting(person) else {"send_link"}
        impossible |= set() if people.has_second_factor(person) else {"remove_second_factor"}
        return [one for one in super().get_actions_detail(request, object_id) if one.path not in impossible]

    @action(description="Change the e-mail address", permissions=["login"], icon="alternate_email")
    def change_email(self, request: HttpRequest, object_id: str) -> HttpResponse:
        form = EmailForm(request.POST if request.method == "POST" else None)
        values = {"email": form.cleaned_data["email"].lower()} if form.is_valid() else {}
        return self._propose(request, object_id, "user.email", form, values)

    @action(
        description="Remove the second factor",
        permissions=["factor"],
        icon="phonelink_erase",
        variant=ActionVariant.DANGER,
    )
    def remove_second_factor(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """For a person who lost it, and whose identity staff have verified."""
        form = PersonNoteForm(request.POST if request.method == "POST" else None)
        return self._propose(request, object_id, "user.second_factor", form, {})

    @action(description="Deactivate", permissions=["deactivate"], icon="person_off", variant=ActionVariant.DANGER)
    def deactivate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        form = NoteForm(request.POST if request.method == "POST" else None)
        return self._propose(request, object_id, "user.active", form, {"is_active": False})

    @action(description="Reactivate", permissions=["deactivate"], icon="person_check")
    def reactivate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        form = NoteForm(request.POST if request.method == "POST" else None)
        return self._propose(request, object_id, "user.active", form, {"is_active": True})

    @action(description="Send the link again", permissions=["rights"], icon="forward_to_inbox")
    def send_link(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """For an invited person without a password."""
        person = self.record(request, object_id)
        if request.method != "POST":
            sentence = gettext("They receive another link by e-mail. Earlier links stay valid until they expire.")
            return self.decision(request, person, gettext("Send the link again"), sentence=sentence)

        def act() -> Done | str:
            if not staff_invitations.is_waiting(person):
                return gettext("This person has already chosen a password.")
            staff_invitations.send(person)
            message = gettext("Another link was sent to %(person)s.") % {"person": person}
            return Done(person, "invited_again", "Sent the link again", message)

        return self.carry_out(request, person, act)

    @action(description="Staff rights", permissions=["rights"], icon="shield_person")
    def staff_rights(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Staff status and roles."""
        person = self.record(request, object_id)
        form = RightsForm(person, bool(request.user.is_superuser), request.POST if request.method == "POST" else None)
        values = form.values() if form.is_valid() else {}
        return self._propose(request, object_id, "user.staff_rights", form, values)

    def _propose(
        self, request: HttpRequest, object_id: str, kind_name: str, form: forms.Form, values: Values
    ) -> HttpResponse:
        person, kind = self.record(request, object_id), KINDS[kind_name]
        if not _may_decide_about(request, person):
            raise PermissionDenied
        if not form.is_valid():
            takes_two = kind.takes_two(person, values)
            sentence = f"{kind.sentence(person, values)} {TWO_PEOPLE if takes_two else ''}"
            return self.decision(request, person, kind.title, sentence=sentence, form=form)
        return self.put(request, person, kind, values, form.cleaned_data["note"])


def _may_decide_about(request: HttpRequest, person: User) -> bool:
    is_staff_account = person.is_staff or person.is_superuser
    return person != request.user and (not is_staff_account or request.user.has_perm("accounts.administer_staff"))
