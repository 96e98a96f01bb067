"""The home page: key figures and open items."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import formats, timezone
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard import attention, going_live
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.periods import choices, chosen_period
from gateway.dashboard.templatetags.dashboard import money
from gateway.overview.activity import Activity, activity
from gateway.payments import selectors as payments
from gateway.payments.figures import Acceptance, Accepted, Paid, acceptance
from ledger.money import to_decimal
from ledger.notation import notation
from ledger.receivables.calendar import Day, next_days
from ledger.wallets.selectors import Holding, holdings

RECENT = 8


@require_safe
@page_view(May.READ_PAYMENTS)
def home(request: HttpRequest, here: RequestContext) -> HttpResponse:
    chosen, period = chosen_period(here.merchant, here.now, request.GET.get("period", ""))
    made, accepted = activity(here.merchant, period), acceptance(here.merchant, period)
    steps = going_live.steps(here)
    is_going_live = any(not step.is_done for step in steps)
    return here.render(
        "home.html",
        steps=steps if is_going_live else (),
        done=sum(step.is_done for step in steps),
        notes=attention.notes(here, with_steps=is_going_live),
        periods=choices(chosen),
        first=period.days[0],
        last=period.days[-1],
        activity=made,
        accepted=accepted.total,
        chart=_chart(request, made, accepted),
        balances=_balances(here) if here.may(May.READ_MONEY) else (),
        recent=list(payments.listed(here.merchant)[:RECENT]),
    )


@dataclass(frozen=True, slots=True)
class Chart:
    """Data of the two charts, for the script and as table rows: day, count, amount, acceptance."""

    currency: str
    currencies: list[str]
    rows: list[tuple[str, int, str, Accepted]]
    data: dict[str, Any]


def _chart(request: HttpRequest, made: Mapping[str, Activity], accepted: Acceptance) -> Chart | None:
    """For the selected currency, else the one with most payments; None for a single day or without payments."""
    if len(accepted.days) == 1 or not (made or accepted.total.ended):
        return None
    busiest = max(made, key=lambda code: made[code].volume.total.count, default="")
    asked = request.GET.get("currency", "")
    currency = asked if asked in made else busiest
    paid = [made[currency].volume.days[day] if currency else Paid() for day in accepted.days]
    days = [formats.date_format(day, "SHORT_DATE_FORMAT") for day in accepted.days]
    shown = [money(one.gross, currency) if currency else "" for one in paid]
    shares = list(accepted.days.values())
    counts = [one.count for one in paid]
    data = {
        "locale": notation().locale.replace("_", "-"),
        "days": days,
        "amounts": [str(to_decimal(one.gross, currency)) for one in paid] if currency else [],
        "shown": shown,
        "counts": counts,
        "rates": [None if share.rate is None else str(share.rate) for share in shares],
    }
    return Chart(currency, list(made), list(zip(days, counts, shown, shares, strict=True)), data)


def _balances(here: RequestContext) -> list[tuple[str, Holding, Day | None]]:
    """Each currency ever used, with its balances and next release."""
    coming = {day.currency: day for day in next_days(here.merchant, timezone.get_current_timezone())}
    held = holdings(here.merchant)
    return [
        (currency, holding, coming.get(currency))
        for currency, holding in held.currencies.items()
        if currency in held.used
    ]
