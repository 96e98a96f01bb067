"""Money ahead: the available balance of the next 30 days, and an advance on it."""

from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.amounts import AmountField, in_currency
from gateway.dashboard.balance.forms import currency_of
from gateway.dashboard.balance.words import REASON
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.receivables.curve import curve
from gateway.dashboard.receivables.words import FORECAST, UNCERTAIN
from gateway.forecasts.available import Cause, Forecast, ForecastDay, forecast
from gateway.forecasts.uncertain import Outcome, Uncertain, at_stake, uncertain
from gateway.sales.currencies import in_order
from ledger.money import to_decimal, to_minor
from ledger.notation import typed, written
from ledger.receivables import advances
from ledger.receivables.advances import AdvanceQuote
from ledger.receivables.errors import ReceivableState
from ledger.wallets.selectors import holdings

DISPUTED = (Outcome.DISPUTE, Outcome.REVIEW)


class AdvanceForm(DashboardForm):
    """What to have today; empty: nothing."""

    amount = AmountField(label=gettext_lazy("Advance, at least"), required=False)

    def __init__(self, query: Any, currency: str) -> None:
        super().__init__(query)
        self.currency = currency
        in_currency(self, amount=currency)

    def quote(self, here: RequestContext, most: int) -> AdvanceQuote | None:
        """The advance that pays at least the amount; None: nothing was asked, or it is refused, with the error."""
        if not self.is_valid() or not self.cleaned_data["amount"]:
            return None
        amount = self.cleaned_data["amount"].quantize(to_decimal(1, self.currency), "ROUND_UP")
        try:
            return advances.quote_amount(here.merchant, self.currency, to_minor(amount, self.currency))
        except ReceivableState:
            net = written(to_decimal(most, self.currency), self.currency)
            self.add_error("amount", _("Together they pay %(net)s.") % {"net": net})
        except Refusal as refusal:
            self.add_error("amount", refusal.message)
        return None


@require_safe
@page_view(May.READ_MONEY)
def ahead(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """As a curve and a table, with and without the advance. Nothing is stored."""
    currency, zone = currency_of(here.merchant, request.GET.get("currency")), timezone.get_current_timezone()
    most = _most(here, currency)
    form = AdvanceForm(request.GET, currency)
    quote = form.quote(here, most) if most else None
    before = forecast(here.merchant, currency, zone)
    found = forecast(here.merchant, currency, zone, quote) if quote else before
    open_items = uncertain(here.merchant, currency)
    deadlines = {timezone.localtime(one.until).date() for one in open_items if one.until and one.outcome in DISPUTED}
    used = holdings(here.merchant).used | {currency}
    return here.render(
        "receivables/ahead.html",
        currency=currency,
        currencies=in_order(here.merchant, used),
        form=form,
        quote=quote,
        forecast=found,
        totals=[(FORECAST[cause], found.total(cause)) for cause in Cause if found.total(cause)],
        days=_days(found),
        curve=curve(found, before if quote else None, deadlines),
        open_items=[(one, *UNCERTAIN[one.outcome], _name(one)) for one in open_items],
        at_stake=at_stake(here.merchant, currency),
        most=most,
        most_net=str(to_decimal(most, currency)),
        most_typed=typed(to_decimal(most, currency)),
        advance_of=typed(Decimal(form.cleaned_data["amount"])) if quote else "",
    )


def _most(here: RequestContext, currency: str) -> int:
    """What advancing everything would pay, in minor units; 0: nothing can be advanced."""
    try:
        return advances.quote_until(here.merchant, currency).net
    except Refusal:
        return 0


def _days(found: Forecast) -> list[tuple[ForecastDay, list[tuple[Any, int, int]]]]:
    """The days on which something changes, with each change and how many things it consists of."""
    return [
        (
            day,
            [
                (FORECAST[cause], day.counts.get(cause, 0), day.changes[cause])
                for cause in Cause
                if day.changes.get(cause)
            ],
        )
        for day in found.days
        if day.changes
    ]


def _name(one: Uncertain) -> str:
    """A hold has no page of its own, and is named after its reason."""
    return str(REASON[one.name][0]) if one.outcome == Outcome.HOLD else one.name
