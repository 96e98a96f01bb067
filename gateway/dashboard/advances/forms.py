"""Forms to request an advance: the selection of receivables, and the reviewed price."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts.models import Merchant
from gateway.dashboard.amounts import AmountField, in_currency
from gateway.dashboard.forms import DashboardForm, OnceForm
from gateway.dashboard.periods import DayField, end
from ledger.chart import WALLET_METHOD
from ledger.money import to_decimal, to_minor
from ledger.receivables import advances
from ledger.receivables.advances import MOST, AdvanceQuote
from ledger.receivables.offers import AdvanceOffer

ALL, UNTIL, AMOUNT, THESE = "all", "until", "amount", "these"


class ChoiceForm(DashboardForm):
    """Selects receivables. Sending it changes nothing."""

    currency = forms.ChoiceField(label=gettext_lazy("Currency"), choices=[(code, code) for code in WALLET_METHOD])
    choose = forms.ChoiceField(
        label=gettext_lazy("What to advance"),
        choices=[
            (ALL, gettext_lazy("Everything")),
            (UNTIL, gettext_lazy("Everything released by a date")),
            (AMOUNT, gettext_lazy("At least this amount")),
            (THESE, gettext_lazy("The selected receivables")),
        ],
        widget=forms.RadioSelect,
    )
    until = DayField(label=gettext_lazy("Until"), required=False)
    amount = AmountField(label=gettext_lazy("Amount received"), required=False)

    def __init__(self, *args: Any, ticked: list[str], offered: list[AdvanceOffer], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        in_currency(self, amount=self.data.get("currency"))
        self.ticked = ticked
        codes = [one.currency for one in offered] or list(WALLET_METHOD)
        self.fields["currency"].choices = [(code, code) for code in codes]  # type: ignore[attr-defined]
        if not ticked:
            self.fields["choose"].choices = self.fields["choose"].choices[:-1]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for name, choice, sentence in (
            ("until", UNTIL, gettext_lazy("Choose a day.")),
            ("amount", AMOUNT, gettext_lazy("Enter an amount.")),
        ):
            if given.get("choose") == choice and not given.get(name) and name not in self.errors:
                self.add_error(name, sentence)
        return given

    def quote(self, merchant: Merchant) -> AdvanceQuote:
        """The current price of the selection. Raises what `advances.quote` raises."""
        given = self.cleaned_data
        asked: dict[str, Callable[[], AdvanceQuote]] = {
            ALL: lambda: advances.quote_until(merchant, given["currency"]),
            UNTIL: lambda: advances.quote_until(merchant, given["currency"], end(given["until"])),
            AMOUNT: lambda: advances.quote_amount(merchant, given["currency"], _minor(given)),
            THESE: lambda: advances.quote(merchant, self.ticked[:MOST]),
        }
        return asked[given["choose"]]()


def _minor(given: dict[str, Any]) -> int:
    """Rounded up if there are too many decimals."""
    currency = given["currency"]
    return to_minor(given["amount"].quantize(to_decimal(1, currency), "ROUND_UP"), currency)


class RequestForm(OnceForm):
    """Requests what was reviewed: these receivables, at this price or a lower one."""

    receivables = forms.CharField(widget=forms.HiddenInput)
    gross = forms.IntegerField(widget=forms.HiddenInput)
    fee = forms.IntegerField(widget=forms.HiddenInput)

    @staticmethod
    def of(quote: AdvanceQuote) -> "RequestForm":
        ids = " ".join(item.receivable.pk for item in quote.items)
        return RequestForm(initial={"receivables": ids, "gross": quote.gross, "fee": quote.fee})

    @property
    def ids(self) -> list[str]:
        return str(self.cleaned_data["receivables"]).split()[:MOST]
