"""People for staff: staff status, roles and memberships."""

from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from accounts import second_factor, staff_roles
from accounts.models import Invitation, Membership, User
from accounts.proposals.kinds import KINDS
from accounts.proposals.people import place_id
from gateway.staff.company_status import MemberRoleForm
from gateway.staff.kit.actions import in_words
from gateway.staff.kit.columns import EMPTY, block, moment, related
from gateway.staff.kit.forms import NewUserForm, NoteForm, StaffInvitationForm
from gateway.staff.kit.pages import TWO_PEOPLE, ReadOnlyAdmin, StaffAdmin
from gateway.staff.signing_in import SigningIn

for unused in (Group, EmailAddress, Authenticator, UserSession):
    admin.site.unregister(unused)


@admin.register(User)
class UserAdmin(SigningIn, DjangoUserAdmin, StaffAdmin):
    """People. Sign-in and staff rights change by actions only."""

    permissions_used = ("view", "add", "change")
    actions_list = (*StaffAdmin.actions_list, "invite")
    form = forms.ModelForm  # without a password
    add_form = NewUserForm
    add_form_template = "admin/accounts/user/add_form.html"
    words = {"email__icontains": str, "first_name__icontains": str, "last_name__icontains": str}
    search_fields = ("email",)
    search_help_text = "E-mail or name"
    ordering: ClassVar[Any] = ("email",)
    list_display = ("email", "first_name", "last_name", "is_staff", "is_superuser", "is_active", moment("last_login"))
    list_filter = ("is_staff", "is_superuser", "is_active")
    _times = (moment("last_login"), moment("date_joined"))
    fieldsets: ClassVar[Any] = (
        (None, {"fields": ("email", ("first_name", "last_name"), "is_active")}),
        ("Staff", {"fields": (("is_staff", "is_superuser"), "kinds_of_staff")}),
        ("Timestamps", {"fields": (_times,)}),
    )
    add_fieldsets = ((None, {"fields": ("email",)}),)
    readonly_fields: ClassVar[Any] = ("is_active", "is_staff", "is_superuser", "kinds_of_staff", *_times)
    filter_horizontal = ()

    @display(description="roles")
    def kinds_of_staff(self, user: User) -> str:
        return ", ".join(group.name for group in user.groups.order_by("name")) or EMPTY

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "email") if obj else fields

    def has_invite_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.administer_staff")

    @action(description="Invite staff", permissions=["invite"], icon="person_add")
    def invite(self, request: HttpRequest) -> HttpResponse:
        """Creates an account without a password, and proposes its roles. The link is sent after confirmation."""
        form = StaffInvitationForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            invited = gettext("They receive a link to choose a password, and then set up a second factor.")
            sentence = f"{invited} {TWO_PEOPLE}"
            return self.decision(request, None, gettext("Invite staff"), sentence=sentence, form=form)
        second_factor.require(request, lambda: in_words(self, request, gettext("Invite staff")))
        groups = sorted(group.pk for group in form.cleaned_data["groups"])
        rights = {"is_staff": True, "is_superuser": False, "groups": groups}
        with transaction.atomic():
            person = User.objects.create_user(form.cleaned_data["email"])
            self.log_addition(request, person, "Invited as staff")
            return self.put(request, person, KINDS["user.staff_rights"], rights, form.cleaned_data["note"])

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only staff administrators change staff."""
        is_staff_account = isinstance(obj, User) and (obj.is_staff or obj.is_superuser)
        allowed = bool(super().has_change_permission(request, obj))
        return allowed and (not is_staff_account or request.user.has_perm("accounts.administer_staff"))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """People are deactivated, never deleted, so that their history stays."""
        return False

    def save(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Staff vouch for the address; the person chooses a password."""
        if change:
            super().save(request, obj, form, change)
            return
        obj.set_unusable_password()
        obj.save()
        EmailAddress.objects.create(user=obj, email=obj.email, verified=True, primary=True)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        """Refused: a password is reset only by a link to its owner's address."""
        raise PermissionDenied


class PermissionsField(forms.ModelMultipleChoiceField):
    """Permissions in words, grouped by subject."""

    def label_from_instance(self, obj: Any) -> str:
        return staff_roles.in_words(obj)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, StaffAdmin):
    """Staff roles. Built-in ones are read-only; superusers create others."""

    permissions_used = ("view",)
    words = {"name__icontains": str}
    search_fields = ("name",)
    list_display = ("name", "what")
    filter_horizontal = ()

    @display(description="description")
    def what(self, group: Group) -> str:
        return next((str(role.what) for role in staff_roles.ROLES if role.name == group.name), EMPTY)

    @display(description="permissions")
    def may(self, group: Group) -> str:
        return block("\n".join(sorted(map(staff_roles.in_words, group.permissions.select_related("content_type")))))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = "permissions" if self.has_change_permission(request, obj) else "may"
        return ((None, {"fields": ("name", *(["what"] if obj else []), shown)}),)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("what",) if self.has_change_permission(request, obj) else ("name", "what", "may")

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest | None = None, **kwargs: Any) -> Any:
        """Only meaningful permissions, in words."""
        used = [
            f"{verb}_{model._meta.model_name}"
            for model, page in admin.site._registry.items()
            for verb in getattr(page, "permissions_used", ())
        ]
        used += [codename for model in admin.site._registry for codename, _name in model._meta.permissions]
        kwargs |= {
            "queryset": Permission.objects.filter(codename__in=used).select_related("content_type"),
            "form_class": PermissionsField,
            "widget": UnfoldAdminCheckboxSelectMultipleWidget,
        }
        return db_field.formfield(**kwargs)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser and not (obj and staff_roles.is_seeded(obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_change_permission(request, obj)


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Memberships. People are added on the company's page."""

    ids = {"cmp": "company"}
    words = {"user__email__icontains": str, "company__trade_name__icontains": str}
    search_help_text = "Company id or name, or e-mail"
    listed_at = ("company", "user")
    list_select_related = ("company", "user")
    list_display = ("user", related("company"), "role", moment("created_at"))
    list_filter = ("role",)
    fieldsets = ((None, {"fields": (related("company"), related("user"), "role", moment("created_at"))}),)
    actions_detail = ("change_role", "remove")

    def has_team_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.manage_members")

    @action(description="Change the role", permissions=["team"], icon="badge")
    def change_role(self, request: HttpRequest, object_id: str) -> HttpResponse:
        member = self.record(request, object_id)
        form = MemberRoleForm(request.POST if request.method == "POST" else None, initial={"role": member.role})
        return self._propose(request, member, gettext("Change the role"), form)

    @action(
        description="Remove from the team", permissions=["team"], icon="person_remove", variant=ActionVariant.DANGER
    )
    def remove(self, request: HttpRequest, object_id: str) -> HttpResponse:
        member = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        return self._propose(request, member, gettext("Remove from the team"), form)

    def _propose(self, request: HttpRequest, member: Membership, title: str, form: NoteForm) -> HttpResponse:
        kind = KINDS["membership"]
        if not form.is_valid():
            sentence = f"{kind.sentence(member, {})} {TWO_PEOPLE}"
            return self.decision(request, member, title, sentence=sentence, form=form)
        place, role = place_id(member.company_id, member.user_id), form.cleaned_data.get("role")
        return self.put(request, member, kind, {"role": role}, form.cleaned_data["note"], place)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Open invitations; the link is in the e-mail only."""

    ids = {"cmp": "company"}
    words = {"email__iexact": str}
    search_help_text = "Invitation or company id, or e-mail"
    listed_at = ("company",)
    list_select_related = ("company", "invited_by")
    list_display = (
        "email",
        related("company"),
        "role",
        related("invited_by"),
        moment("created_at"),
        moment("expires_at"),
        moment("accepted_at"),
    )
    list_filter = ("role", ("accepted_at", admin.EmptyFieldListFilter))
    fieldsets = (
        (None, {"fields": ("id", "email", (related("company"), "role"), related("invited_by"))}),
        (
            "Timestamps",
            {
                "fields": (
                    (moment("created_at"), moment("expires_at")),
                    (moment("accepted_at"), moment("withdrawn_at")),
                )
            },
        ),
    )
