"""The form in which staff enter money that a manual account received and that pays no payment."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts.proposals.kinds import KINDS
from gateway.methods.registry import Method
from gateway.payments.manual import is_manual
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import served_by
from gateway.staff.kit.amounts import StaffAmountField
from gateway.staff.kit.columns import address
from gateway.staff.kit.forms import NoteField, NoteForm, PaymentField
from gateway.staff.kit.pages import TWO_PEOPLE, ReadOnlyAdmin
from gateway.suspense.entering import EnterMoney, line_id
from gateway.suspense.errors import NotWatched
from gateway.suspense.models import LONGEST_REFERENCE
from ledger.money import DECIMALS

SENTENCE = _(
    "For money in the statement that pays no payment: another amount, after the end of its payment, a second time, or "
    "for no payment at all. It is held in suspense."
)


class StatementMoneyForm(NoteForm):
    """What the statement of an account shows."""

    way = forms.ChoiceField(label="Received by", widget=UnfoldAdminSelectWidget)
    reference = forms.CharField(
        max_length=LONGEST_REFERENCE,
        label="Bank reference",
        widget=UnfoldAdminTextInputWidget,
        help_text="The id that the bank's statement gives this money",
    )
    payment = PaymentField("The id of the payment that it was meant for. Empty: unknown", required=False)
    note = NoteField("Visible to staff only. Name the statement")

    def __init__(self, account: ProviderAccount, data: Any, initial: Mapping[str, str]) -> None:
        ways = served_by(account)
        super().__init__(data, initial={"way": _way(*ways[0]) if len(ways) == 1 else "", **initial})
        choices = [(_way(method, currency), f"{Method(method).label} {currency}") for method, currency in ways]
        self.fields["way"].choices = [("", "---------"), *choices]  # type: ignore[attr-defined]
        decimals = max(DECIMALS[currency] for _, currency in ways)
        self.fields["amount"] = StaffAmountField(
            "0.01", decimals=decimals, label=gettext("Amount received"), help_text=gettext("As the statement shows it")
        )
        self.order_fields(["way", "amount", "reference", "payment", "note"])

    def clean_reference(self) -> str:
        return " ".join(str(self.cleaned_data["reference"]).split())

    def values(self) -> dict[str, str]:
        method, _, currency = self.cleaned_data["way"].partition(":")
        return {"method": method, "currency": currency, "amount": f"{self.cleaned_data['amount']:f}"}

    def line(self, account: ProviderAccount) -> str:
        """The id of the record that is decided about."""
        payment = self.cleaned_data["payment"]
        return line_id(account.pk, payment.pk if payment else "", self.cleaned_data["reference"])


class StatementMoney(ReadOnlyAdmin):
    """The action on the page of a provider account."""

    def has_enter_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(EnterMoney.permission)

    @action(description="Enter received money", permissions=["enter"], icon="add_card")
    def enter_money(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The address may fill the form in. The kind refuses what is impossible."""
        account, kind = self.record(request, object_id), KINDS[EnterMoney.name]
        if not is_manual(account):
            return self.refused(request, account, NotWatched())
        form = StatementMoneyForm(account, request.POST if request.method == "POST" else None, request.GET.dict())
        if not form.is_valid():
            return self.decision(request, account, kind.title, sentence=f"{SENTENCE} {TWO_PEOPLE}", form=form)
        return self.put(request, account, kind, form.values(), form.cleaned_data["note"], form.line(account))


def may_be_entered(request: HttpRequest, payment: Payment) -> bool:
    """Whether this person can enter other money for the payment."""
    is_at_manual_account = payment.account is not None and is_manual(payment.account)
    return is_at_manual_account and request.user.has_perm(EnterMoney.permission)


def form_for(payment: Payment, amount: str, reference: str) -> str:
    """The address of the form, filled in with other money for a payment at a manual account."""
    filled = {"way": _way(payment.method, payment.currency), "amount": amount, "reference": reference}
    page = address(ProviderAccount, "change", payment.account_id).replace("/change/", "/enter_money/")
    return f"{page}?{urlencode(filled | {'payment': payment.pk})}"


def _way(method: str, currency: str) -> str:
    return f"{method}:{currency}"
