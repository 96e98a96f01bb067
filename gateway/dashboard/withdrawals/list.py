"""The list of withdrawals, and its export."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.base.csv_export import CsvColumn, csv_of, timed
from accounts.base.listing import sums
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.currencies import put_in_order
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.periods import DaysForm, presets
from gateway.dashboard.sums import list_sums
from gateway.dashboard.withdrawals.words import FAILURE, ID_AT_THE_BANK
from gateway.dashboard.words import METHOD, STATUS
from gateway.payouts.registry import RailName
from gateway.withdrawals import selectors
from gateway.withdrawals.beneficiaries.models import Beneficiary
from gateway.withdrawals.models import Status, Withdrawal
from ledger.chart import WALLET_METHOD
from ledger.money import to_decimal

ANY = ("", gettext_lazy("Any"))


class WithdrawalFilterForm(DaysForm):
    status = forms.ChoiceField(
        label=gettext_lazy("Status"), choices=[ANY, *((one, STATUS[one][0]) for one in Status.values)], required=False
    )
    rail = forms.ChoiceField(
        label=gettext_lazy("Method"), choices=[ANY, *((one, METHOD[one]) for one in RailName.values)], required=False
    )
    currency = forms.ChoiceField(
        label=gettext_lazy("Wallet"), choices=[ANY, *((code, code) for code in WALLET_METHOD)], required=False
    )
    reference = forms.CharField(label=gettext_lazy("Reference"), max_length=128, required=False)


@require_safe
@page_view(May.READ_MONEY)
def withdrawals(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    form = WithdrawalFilterForm(request.GET)
    put_in_order(here.merchant, form, "currency")
    filters = form.filters("status", "rail", "currency", "reference")
    rows = selectors.listed(here.merchant, **filters).defer("sealed_destination")
    if request.GET.get("format") == "csv":
        return csv_of(form.file_name(_("withdrawals")), COLUMNS, in_chunks(rows))
    return here.render(
        "withdrawals/list.html",
        page=page_of(rows, request.GET),
        sums=list_sums(here, sums(rows)),
        presets=presets(here.now),
        filter=form,
        filtered=any(filters.values()),
    )


def destination(withdrawal: Withdrawal | Beneficiary) -> str:
    """The displayable destination in one line: account number and holder."""
    return account_line(withdrawal.destination)


def account_line(shown: Mapping[str, Any]) -> str:
    """A masked destination in one line. What is hidden of a number takes four asterisks, however long it is."""
    number = re.sub(r"\*{4,}", "****", next((shown[name] for name in _NUMBERS if shown.get(name)), ""))
    return " · ".join(filter(None, (number, shown.get("bankName"), shown.get("beneficiaryName"))))


_NUMBERS = ("pixKey", "clabe", "cbu", "cvu", "alias", "accountNumber", "address")


def _failure(withdrawal: Withdrawal) -> Any:
    return FAILURE[withdrawal.failure_code][0] if withdrawal.failure_code else None


COLUMNS: list[CsvColumn[Withdrawal]] = [
    (gettext_lazy("Withdrawal"), lambda one: one.pk),
    (timed(gettext_lazy("Created")), lambda one: one.created_at),
    (gettext_lazy("Status"), lambda one: STATUS[one.status][0]),
    (gettext_lazy("Method"), lambda one: METHOD[one.rail]),
    (gettext_lazy("Destination"), destination),
    (gettext_lazy("Wallet"), lambda one: one.currency),
    (gettext_lazy("Amount"), lambda one: one.amount_exact),
    (gettext_lazy("Fee"), lambda one: to_decimal(one.fee, one.currency)),
    (gettext_lazy("Total"), lambda one: to_decimal(one.total, one.currency)),
    (gettext_lazy("Received"), lambda one: to_decimal(one.payout_amount, one.payout_currency)),
    (gettext_lazy("Received in"), lambda one: one.payout_currency),
    (gettext_lazy("Reference"), lambda one: one.reference),
    (ID_AT_THE_BANK, lambda one: one.rail_reference),
    (gettext_lazy("Why not"), _failure),
    (timed(gettext_lazy("Completed")), lambda one: one.completed_at),
    (timed(gettext_lazy("Returned")), lambda one: one.returned_at),
]
