"""Staff decisions on payments that no provider tells about: forms, and the limit for one person."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from gateway.payments.models import Payment
from gateway.payments.proposals import FAILURES, values_declined, values_paid
from gateway.staff.kit.amounts import StaffAmountField
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.names import translated
from ledger.chart import WALLET_METHOD
from ledger.money import DECIMALS

PROOF = "Visible to staff only. Name the statement, or the provider's proof"


class PaymentDecisionForm(forms.Form):
    """What became of the payment, and how that is known."""

    note = NoteField(PROOF)

    def __init__(self, payment: Payment, data: Any = None) -> None:
        super().__init__(data)

    def values(self) -> dict[str, str]:
        raise NotImplementedError


class PaidForm(PaymentDecisionForm):
    reference = forms.CharField(
        max_length=64,
        label="Bank reference",
        widget=UnfoldAdminTextInputWidget,
        help_text="The id that the bank's statement gives this money. The company sees it on its receipt",
    )
    field_order = ("amount", "reference", "note")

    def __init__(self, payment: Payment, data: Any = None) -> None:
        super().__init__(payment, data)
        decimals = DECIMALS[payment.currency]
        help_text = gettext("As the statement shows it, in %(currency)s. It must be exactly the payment's amount")
        help_text %= {"currency": payment.currency}
        amount = StaffAmountField("0.01", decimals=decimals, label=gettext("Amount received"), help_text=help_text)
        self.fields = {"amount": amount, **self.fields}

    def values(self) -> dict[str, str]:
        return values_paid(self.cleaned_data["reference"], self.cleaned_data["amount"])


class DeclinedForm(PaymentDecisionForm):
    failure_code = forms.ChoiceField(
        label="Reason",
        choices=[("", "---------"), *((code, translated(text)) for code, text in FAILURES.items())],
        widget=UnfoldAdminSelectWidget,
        help_text="Visible to the company",
    )
    field_order = ("failure_code", "note")

    def values(self) -> dict[str, str]:
        return values_declined(self.cleaned_data["failure_code"])


class SingleApprovalForm(NoteForm):
    currency = forms.ChoiceField(choices=[(code, code) for code in WALLET_METHOD], widget=UnfoldAdminSelectWidget)
    amount = StaffAmountField("0", label="Of one payment", help_text="0: every payment takes two people")
    amount_in_a_day = StaffAmountField("0", label="In 24 hours", help_text="Of all that one person records alone")
    field_order = ("currency", "amount", "amount_in_a_day", "note")
