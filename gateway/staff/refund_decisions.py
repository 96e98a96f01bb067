"""Staff decisions on refunds: actions, forms, and evidence files."""

from typing import Any

from django import forms
from django.db.models import F, Q
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.base.ids import is_well_formed
from accounts.models import Environment
from gateway.payments.models import Payment
from gateway.refunds.models import ReasonCode, Status
from gateway.staff.kit.amounts import StaffAmountField
from gateway.staff.kit.forms import NoteField
from ledger.money import to_minor


def to_decide() -> Q:
    """Contested requests, and in production refunds that staff must carry out."""
    to_carry_out = Q(status=Status.PROCESSING, merchant__environment=Environment.PRODUCTION)
    covered = Q(wallet_amount=F("from_releasing") + F("from_available"))
    return Q(status=Status.UNDER_REVIEW) | (to_carry_out & covered)


class OpenForm(forms.ModelForm):
    """A payer's refund request. `refused`: the service's refusal of this form."""

    refused: Refusal | None = None
    payment = forms.CharField(max_length=40, widget=UnfoldAdminTextInputWidget, help_text="Payment id")
    amount = StaffAmountField(
        "0.01", required=False, help_text="In the payment's currency. Leave empty to refund all that remains"
    )
    reason_code = forms.ChoiceField(
        label="Reason", choices=[("", "---------"), *ReasonCode.choices], widget=UnfoldAdminSelectWidget
    )
    payer_statement = forms.CharField(
        max_length=2000,
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        help_text="The payer's own words. Visible to the company",
    )
    note = NoteField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if due := self.fields.get("response_due_at"):
            due.label = "Answer due"
            due.help_text = "UTC. Leave empty for 72 hours from now, or 7 days for cards"

    def clean_payment(self) -> Payment:
        payment_id = self.cleaned_data["payment"].strip()
        found = Payment.objects.filter(pk=payment_id).first() if is_well_formed(payment_id) else None
        if found is None:
            raise forms.ValidationError("Payment not found.")
        return found

    def clean_payer_statement(self) -> str | None:
        return self.cleaned_data["payer_statement"] or None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        payment, due = cleaned.get("payment"), cleaned.get("response_due_at")
        if payment and due and due <= clock.now(payment.merchant):
            self.add_error("response_due_at", "This time is in the past by the merchant's clock.")
        if payment and cleaned.get("amount") is not None:
            cleaned["amount"] = to_minor(cleaned["amount"], payment.currency)
        if self.refused:
            field = "amount" if self.refused.field == "amount" else "payment"
            self.add_error(field, f"{self.refused.message} {self.refused.advice}")
        return cleaned
