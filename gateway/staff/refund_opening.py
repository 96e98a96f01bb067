"""The form in which staff open a refund for a payer."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts.base import clock
from accounts.base.errors import Refusal
from gateway.refunds.med import misfits
from gateway.refunds.models import Refund
from gateway.refunds.reasons import DisputeKind, ReasonCode
from gateway.staff.kit import refusals
from gateway.staff.kit.amounts import StaffAmountField
from gateway.staff.kit.forms import NoteField, PaymentField
from ledger.money import to_minor


class OpenForm(forms.ModelForm):
    """A payer's refund request. `refused`: the service's refusal of this form."""

    refused: Refusal | None = None
    payment = PaymentField()
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
    dispute_kind = forms.ChoiceField(
        label="Kind",
        required=False,
        choices=[("", "Outside of MED"), (DisputeKind.MED, DisputeKind.MED.label)],
        widget=UnfoldAdminSelectWidget,
    )
    claim_id = forms.CharField(
        label="MED claim id",
        max_length=64,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="The id that the payer's institution gave the MED claim",
    )
    note = NoteField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if due := self.fields.get("response_due_at"):
            due.label = gettext("Answer due")
            due.help_text = gettext("UTC. Leave empty for 72 hours from now, or 7 days for cards; MED: always empty")

    def clean_payer_statement(self) -> str | None:
        return self.cleaned_data["payer_statement"] or None

    def clean_dispute_kind(self) -> str | None:
        return self.cleaned_data["dispute_kind"] or None

    def clean_claim_id(self) -> str | None:
        return self.cleaned_data["claim_id"] or None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        payment, due = cleaned.get("payment"), cleaned.get("response_due_at")
        if payment and due and due <= clock.now(payment.merchant):
            self.add_error("response_due_at", gettext("This time is in the past by the merchant's clock."))
        self._check_claim(cleaned)
        if payment and cleaned.get("amount") is not None:
            cleaned["amount"] = to_minor(cleaned["amount"], payment.currency)
        if self.refused:
            field = "amount" if self.refused.field == "amount" else "payment"
            self.add_error(field, refusals.in_words(self.refused))
        return cleaned

    def _check_claim(self, cleaned: dict[str, Any]) -> None:
        """A MED claim has an id that is new, reasons of its own, and fixed deadlines."""
        is_med, payment, claim_id = cleaned.get("dispute_kind"), cleaned.get("payment"), cleaned.get("claim_id")
        unfit = misfits(
            is_med=bool(is_med),
            claim_id=claim_id,
            reason_code=cleaned.get("reason_code"),
            response_due_at=cleaned.get("response_due_at"),
        )
        for name, sentence in unfit:
            self.add_error(name, sentence)
        if is_med and not claim_id and "claim_id" not in self.errors:
            self.add_error("claim_id", gettext("A MED claim has an id."))
        if claim_id and payment and Refund.objects.filter(merchant=payment.merchant, claim_id=claim_id).exists():
            self.add_error("claim_id", gettext("This claim is open already or has ended."))
