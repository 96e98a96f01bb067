"""Staff pages of withdrawals: columns, forms, texts, queues."""

import re
from datetime import timedelta
from operator import attrgetter
from typing import Any

from django import forms
from django.db.models import F, Q
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts.base.clock import utcnow
from gateway.payouts.rail import DECLINES, FailureCode, PayoutOutcome, PayoutResult
from gateway.payouts.registry import by_currency
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import EMPTY, Column, Title, titled, unbroken
from gateway.staff.kit.forms import NoteField
from gateway.staff.kit.names import translated
from gateway.withdrawals.models import Status, Withdrawal
from ledger.notation import plain_amount

STUCK_AFTER = timedelta(minutes=30)
FAILURES = [(code.value, translated(code.label)) for code in DECLINES]


class WithdrawalDecisionForm(forms.Form):
    """The provider's answer, and its source."""

    note = NoteField()

    def __init__(self, withdrawal: Withdrawal, data: Any = None) -> None:
        super().__init__(data)

    def outcome(self) -> PayoutOutcome:
        raise NotImplementedError


class ArrivedForm(WithdrawalDecisionForm):
    reference = forms.CharField(max_length=80, widget=UnfoldAdminTextInputWidget)
    field_order = ("reference", "note")

    def __init__(self, withdrawal: Withdrawal, data: Any = None) -> None:
        super().__init__(withdrawal, data)
        named = by_currency(withdrawal.rail)[withdrawal.payout_currency].reference_name
        self.fields["reference"].label = words(named)
        shown = gettext("The provider's own id of the payout. The company sees it as %(name)s if it is one")
        self.fields["reference"].help_text = shown % {"name": named}
        self.initial["reference"] = withdrawal.rail_reference

    def outcome(self) -> PayoutOutcome:
        return PayoutOutcome(PayoutResult.DONE, reference=self.cleaned_data["reference"])


class FailedForm(WithdrawalDecisionForm):
    failure_code = forms.ChoiceField(
        label="Reason",
        choices=[("", "---------"), *FAILURES],
        widget=UnfoldAdminSelectWidget,
        help_text="Visible to the company",
    )
    field_order = ("failure_code", "note")

    def outcome(self) -> PayoutOutcome:
        return PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode(self.cleaned_data["failure_code"]).failure)


class ReturnedForm(WithdrawalDecisionForm):
    def outcome(self) -> PayoutOutcome:
        return PayoutOutcome(PayoutResult.RETURNED, failure=FailureCode.RETURNED_BY_BANK.failure)


def stuck() -> Q:
    """Withdrawals in progress for too long, by their merchant's clock."""
    long_ago = F("merchant__clock_offset") + (utcnow() - STUCK_AFTER)
    return Q(status=Status.PROCESSING, created_at__lte=long_ago)


WORDS = {
    "pixKey": _("PIX key"), "pixKeyType": _("Type of the PIX key"), "alias": _("Alias"), "bankName": _("Bank"),
    "bankCode": _("Bank code"), "branch": _("Branch"), "accountType": _("Kind of account"),
    "accountNumber": _("Account number"), "address": _("Address"), "network": _("Network"),
    "beneficiaryName": _("Beneficiary"), "beneficiaryTaxId": _("Tax id"), "documentType": _("Kind of document"),
    "documentNumber": _("Document number"), "concept": _("Concept"), "numericReference": _("Numeric reference"),
    "endToEndId": _("End-to-end id"), "trackingKey": _("Tracking key"), "transactionHash": _("Transaction hash"),
    "clabe": "CLABE", "cbu": "CBU", "cvu": "CVU",
}  # fmt: skip


def words(member: str) -> str:
    """A member of a destination or of a proof as people write it."""
    return str(WORDS.get(member) or capfirst(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", member).lower()))


def payout_money(name: str, title: Title = "") -> Column:
    """An amount in the payout currency."""
    return money(name, title, attrgetter("payout_currency"))


def rate(name: str, title: Title) -> Column:
    """The value of one unit of the wallet's currency in the payout currency."""

    def shown(withdrawal: Withdrawal) -> Any:
        worth = f"{getattr(withdrawal, name).normalize():f} {withdrawal.payout_currency}"
        return unbroken(f"1 {withdrawal.currency} = {worth}")

    return titled(shown, name, title)


def spread(withdrawal: Withdrawal) -> Any:
    minor = (withdrawal.market_amount or 0) - (withdrawal.gross_amount or 0)
    return unbroken(plain_amount(minor, withdrawal.payout_currency))


def bought(withdrawal: Withdrawal) -> Any:
    """The payout, if it is not in the wallet's currency."""
    if not withdrawal.is_converted:
        return EMPTY
    return unbroken(plain_amount(withdrawal.payout_amount, withdrawal.payout_currency))
