"""Fields that staff forms share, and forms about companies and people."""

from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminEmailInputWidget,
    UnfoldAdminTextInputWidget,
)

from accounts import staff_roles
from accounts.base.ids import is_well_formed
from accounts.errors import RolesApart
from accounts.models import Environment, Merchant, User
from accounts.permissions import ALL, PERMISSIONS, PRODUCTION_DEFAULT
from accounts.tax_ids import compact
from gateway.payments.models import Payment
from gateway.staff.kit import refusals
from gateway.staff.kit.names import translated


class NoteField(forms.CharField):
    """The reason of a staff action."""

    def __init__(self, read_by: str = "Visible to staff only") -> None:
        help_text = f"Reason, at least 5 characters. {read_by}"
        super().__init__(min_length=5, max_length=255, widget=UnfoldAdminTextInputWidget, help_text=help_text)


class NoteForm(forms.Form):
    note = NoteField()


class ReserveForm(NoteForm):
    percentage = forms.DecimalField(
        label="Per cent of the net",
        min_value=0,
        max_value=100,
        decimal_places=2,
        widget=UnfoldAdminTextInputWidget,
        help_text="0: no reserve for payments from now on",
    )
    days = forms.IntegerField(min_value=1, max_value=365, widget=UnfoldAdminTextInputWidget)
    field_order = ("percentage", "days", "note")


class PaymentField(forms.CharField):
    """The id of a payment; its value is the payment, or None if empty."""

    def __init__(self, help_text: str = "Payment id", **options: Any) -> None:
        super().__init__(max_length=40, widget=UnfoldAdminTextInputWidget, help_text=help_text, **options)

    def clean(self, value: Any) -> Payment | None:
        payment_id = super().clean(value)
        if not payment_id:
            return None
        found = Payment.objects.filter(pk=payment_id).first() if is_well_formed(payment_id) else None
        if found is None:
            raise ValidationError(_("Payment not found."))
        return found


class CompanyRecordForm(forms.ModelForm):
    def clean_tax_id(self) -> str:
        return compact(self.cleaned_data["tax_id"])

    def clean_country(self) -> str:
        return str(self.cleaned_data["country"]).upper()


class NewUserForm(forms.ModelForm):
    """Without a password: the person sets it with "Forgot your password?"."""

    class Meta:
        model = User
        fields = ("email",)

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class StaffInvitationForm(NoteForm):
    """A person without an account, and their future roles."""

    email = forms.EmailField(widget=UnfoldAdminEmailInputWidget)
    groups = forms.ModelMultipleChoiceField(
        Group.objects.order_by("name"), label="Roles", widget=UnfoldAdminCheckboxSelectMultipleWidget
    )
    field_order = ("email", "groups", "note")

    def clean_email(self) -> str:
        email = str(self.cleaned_data["email"]).lower()
        if User.objects.filter(email=email).exists():
            raise ValidationError(_("This person already has an account. Open it and change their staff rights."))
        return email

    def clean_groups(self) -> Any:
        groups = self.cleaned_data["groups"]
        try:
            staff_roles.require_apart(group.name for group in groups)
        except RolesApart as refusal:
            raise ValidationError(refusals.in_words(refusal)) from refusal
        return groups


class IssueKeyForm(NoteForm):
    """Name and permissions of a new API key, and the reason."""

    name = forms.CharField(max_length=80, widget=UnfoldAdminTextInputWidget, initial="API key")
    permissions = forms.MultipleChoiceField(
        choices=[(name, format_lazy("{}: {}", name, translated(sentence))) for name, sentence in PERMISSIONS.items()],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )
    field_order = ("name", "permissions", "note")

    def __init__(self, merchant: Merchant, data: Any = None) -> None:
        usual = ALL if merchant.environment == Environment.SANDBOX else PRODUCTION_DEFAULT
        super().__init__(data, initial={"permissions": list(usual)})
