"""People, as staff look after them: who is staff, what kinds of staff may do, who belongs to which company."""

from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.forms import AdminPasswordChangeForm

from accounts import second_factor
from accounts.models import Invitation, Membership, User
from accounts.staff.columns import anchor, moment, related
from accounts.staff.forms import NewUserForm, RemovalForm, UserForm
from accounts.staff.pages import Done, ReadOnlyAdmin, StaffAdmin

for unused in (Group, EmailAddress, Authenticator, UserSession):
    admin.site.unregister(unused)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, StaffAdmin):
    """People. Who is staff, and what staff may do, is for superusers to say."""

    form = UserForm
    permissions_used = ("view", "add", "change")
    add_form = NewUserForm
    change_password_form = AdminPasswordChangeForm
    words = {"email__icontains": str, "first_name__icontains": str, "last_name__icontains": str}
    search_fields = ("email",)
    search_help_text = "E-mail or name"
    ordering: ClassVar[Any] = ("email",)
    list_display = ("email", "first_name", "last_name", "is_staff", "is_superuser", "is_active", moment("last_login"))
    list_filter = ("is_staff", "is_superuser", "is_active")
    _times = (moment("last_login"), moment("date_joined"))
    fieldsets: ClassVar[Any] = (
        (None, {"fields": ("email", ("first_name", "last_name"), "is_active", "password_page")}),
        ("Staff", {"fields": (("is_staff", "is_superuser"), "groups")}),
        ("Times", {"fields": (_times,)}),
    )
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)
    readonly_fields: ClassVar[Any] = ("password_page", *_times)
    autocomplete_fields = ("groups",)
    filter_horizontal = ()
    actions_detail = ("remove_second_factor",)

    @display(description="password")
    def password_page(self, user: User) -> Any:
        return anchor(reverse("admin:auth_user_password_change", args=[user.pk]), "Set a new one")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if request.user.is_superuser else (*fields, "is_staff", "is_superuser", "groups")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change staff accounts could sign in as any of them."""
        is_staff_account = isinstance(obj, User) and (obj.is_staff or obj.is_superuser)
        allowed = bool(super().has_change_permission(request, obj))
        return allowed and (request.user.is_superuser or not is_staff_account)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody is deleted, with all that they did: they are made inactive."""
        return False

    def save(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Who changes an address knows its owner: it needs no proof, and the one before lets nobody in any more."""
        super().save(request, obj, form, change)
        EmailAddress.objects.filter(user=obj).exclude(email=obj.email).delete()
        proven = {"verified": True, "primary": True}
        EmailAddress.objects.update_or_create(user=obj, email=obj.email, defaults=proven)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        user = self.get_object(request, unquote(str(object_id)))
        loses = user is not None and self.may_lose_it(request, user)
        return super().get_actions_detail(request, object_id) if loses else []

    def may_lose_it(self, request: HttpRequest, user: User) -> bool:
        """Nobody takes away their own: that is done on their own page, with that factor."""
        return user != request.user and self.has_change_permission(request, user) and second_factor.is_set_up(user)

    @action(description="Remove the second factor", icon="phonelink_erase", variant=ActionVariant.DANGER)
    def remove_second_factor(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """For somebody who lost it, and whom somebody of the staff knows to be themselves."""
        user = self.record(request, object_id)
        if not self.may_lose_it(request, user):
            raise PermissionDenied
        form = RemovalForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = (
                "Apps, passkeys and recovery codes are removed, and this person is signed out everywhere: the password "
                "alone lets them in again, to set up another one. An e-mail tells them."
            )
            return self.decision(request, user, "Remove the second factor", sentence=sentence, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            second_factor.remove(request, user)
            return Done(user, "second_factor_removed", f"Removed the second factor: {note}", f"{user} has none now.")

        return self.carry_out(request, user, act)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> Any:
        second_factor.require(request)  # before there is a form: a password that was typed must not wait in a session
        return super().add_view(request, form_url, extra_context)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        if self.has_change_permission(request, self.get_object(request, unquote(id))):
            second_factor.require(request)
        return super().user_change_password(request, id, form_url)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, StaffAdmin):
    """What kinds of staff may do. Only superusers change it."""

    permissions_used = ("view",)
    words = {"name__icontains": str}
    search_fields = ("name",)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest | None = None, **kwargs: Any) -> Any:
        """Only the permissions that mean something here."""
        used = [
            f"{verb}_{model._meta.model_name}"
            for model, page in admin.site._registry.items()
            for verb in getattr(page, "permissions_used", ())
        ]
        kwargs["queryset"] = Permission.objects.filter(codename__in=used).select_related("content_type")
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser


@admin.register(Membership)
class MembershipAdmin(StaffAdmin):
    ids = {"cmp": "company"}
    words = {"user__email__icontains": str, "company__trade_name__icontains": str}
    search_help_text = "Company id or name, or e-mail"
    listed_at = ("company", "user")
    list_select_related = ("company", "user")
    list_display = ("user", related("company"), "role", moment("created_at"))
    list_filter = ("role",)
    fields = ("company", "user", "role")
    autocomplete_fields = ("company", "user")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Another person is another membership."""
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "company", "user") if obj else fields


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Roles that wait for a person; the link is in the e-mail alone."""

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
            "Times",
            {
                "fields": (
                    (moment("created_at"), moment("expires_at")),
                    (moment("accepted_at"), moment("withdrawn_at")),
                )
            },
        ),
    )


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    words = {"user__email": str.lower, "object_id": str}
    search_help_text = "E-mail of the person, or id of what was changed"
    listed_at = ("user",)
    list_select_related = ("user", "content_type")
    list_display = ("__str__", related("user"), "content_type", moment("action_time"))
    list_filter = ("action_flag",)
    fieldsets = (
        (None, {"fields": (moment("action_time"), related("user"), "content_type", "object_id", "object_repr")}),
        ("What", {"fields": ("action_flag", "get_change_message")}),
    )
