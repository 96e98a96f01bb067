"""The forms of a new schedule: the company's own account, and when it is paid."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Merchant
from gateway.dashboard.amounts import ExactAmountField, in_currency
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.payout_schedules.words import FREQUENCY, WEEKDAY
from gateway.dashboard.withdrawals.forms import WithdrawalForm
from gateway.dashboard.withdrawals.ways import WithdrawalKind
from gateway.payout_schedules.models import Frequency
from gateway.payout_schedules.services import Plan
from ledger.money import to_minor

_HOURS = [(str(hour), f"{hour:02}:00") for hour in range(24)]


class PlanForm(OnceForm):
    """When, and how much stays in the wallet."""

    frequency = forms.ChoiceField(label=gettext_lazy("How often"), choices=[*FREQUENCY.items()])
    weekday = forms.TypedChoiceField(
        label=gettext_lazy("Day of the week"),
        choices=[("", "–"), *((str(number), name) for number, name in enumerate(WEEKDAY))],
        coerce=int,
        empty_value=None,
        required=False,
        help_text=gettext_lazy("Only for every week."),
    )
    hour = forms.TypedChoiceField(
        label=gettext_lazy("Time"),
        choices=_HOURS,
        coerce=int,
        initial="6",
        help_text=gettext_lazy("In the time zone of the company's country."),
    )
    above = ExactAmountField(
        label=gettext_lazy("When more than this is available"),
        required=False,
        help_text=gettext_lazy("Only for payouts above an amount: looked at every three hours, at most one a day."),
    )
    keep = ExactAmountField(
        label=gettext_lazy("Keep in the wallet"),
        required=False,
        help_text=gettext_lazy("This much stays available, for example for refunds."),
    )

    def __init__(self, currency: str, *args: Any, **kwargs: Any) -> None:
        self.currency = currency
        super().__init__(*args, **kwargs)
        in_currency(self, above=currency, keep=currency)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        for name, frequency in (("weekday", Frequency.WEEKLY), ("above", Frequency.ABOVE)):
            is_missing = given.get(name) is None and name not in self.errors
            if given.get("frequency") == frequency and is_missing:
                self.add_error(name, _("This field is required."))
            elif given.get("frequency") != frequency:
                given[name] = None
        return given

    def plan(self, to: WithdrawalForm) -> Plan:
        """Of two valid forms."""
        given = self.cleaned_data
        return Plan(
            currency=self.currency,
            rail=to.rail,
            frequency=given["frequency"],
            hour=given["hour"],
            destination=to.members(),
            weekday=given["weekday"],
            above=to_minor(given["above"], self.currency) if given["above"] else None,
            keep=to_minor(given["keep"], self.currency) if given["keep"] else 0,
        )


def account_form(way: WithdrawalKind, merchant: Merchant, data: Any = None) -> WithdrawalForm:
    """The form of a withdrawal without what belongs to one withdrawal only."""
    form = way.form(merchant, data)
    for name in ("once", "amount", "reference"):
        del form.fields[name]
    return form
