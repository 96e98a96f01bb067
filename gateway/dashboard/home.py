"""The home page: key figures and open items."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard import attention, going_live
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.periods import chosen_period
from gateway.dashboard.sales import tables
from gateway.dashboard.sales.chart import title_of
from gateway.dashboard.sales.lists import Lists
from gateway.dashboard.templatetags.dashboard import money
from gateway.methods.registry import CARDS
from gateway.payments import selectors as payments
from gateway.sales.acceptance import Accepted, accepted, accepted_by_step
from gateway.sales.currencies import in_order
from gateway.sales.models import Kind
from gateway.sales.selectors import Sales, Total, sales
from ledger.money import to_decimal
from ledger.notation import notation
from ledger.receivables.calendar import Day, next_days
from ledger.wallets.selectors import Holding, Holdings, holdings

RECENT = 8


@require_safe
@page_view(May.READ_PAYMENTS)
def home(request: HttpRequest, here: RequestContext) -> HttpResponse:
    chosen = chosen_period(here)
    found, lists = sales(here.merchant, chosen.period, chosen.before), Lists(here, chosen.period, chosen.before)
    held = holdings(here.merchant) if here.may(May.READ_MONEY) else None
    order = in_order(here.merchant, tables.used(found, before=False) | (held.used if held else set()))
    steps = going_live.steps(here)
    is_going_live = any(not step.is_done for step in steps)
    return here.render(
        "home.html",
        steps=steps if is_going_live else (),
        done=sum(step.is_done for step in steps),
        notes=attention.notes(here, with_steps=is_going_live),
        chosen=chosen,
        activity=tables.activity(found, lists, _sold(found, order)),
        cards=_accepted(found, of_cards=True),
        others=_accepted(found, of_cards=False),
        chart=_chart(request, found, order, lists),
        balances=_balances(here, held, order) if held else (),
        recent=list(payments.listed(here.merchant)[:RECENT]),
    )


@dataclass(frozen=True, slots=True)
class Chart:
    """Data of the two charts, for the script and as table rows: day, count, amount, acceptance, list of payments."""

    currency: str
    currencies: list[str]
    rows: list[tuple[str, int, str, Accepted, str]]
    data: dict[str, Any]


def _sold(found: Sales, order: list[str]) -> list[str]:
    used = tables.used(found, before=False)
    return [code for code in order if code in used]


def _accepted(found: Sales, *, of_cards: bool) -> Accepted:
    return sum((one for method, one in accepted(found).items() if (method in CARDS) == of_cards), Accepted())


def _chart(request: HttpRequest, found: Sales, order: list[str], lists: Lists) -> Chart | None:
    """For the selected currency, else the first; None for a single day or without payments."""
    shares = accepted_by_step(found)
    sold = found.by("currency", kind=Kind.PAID)
    currencies = [code for code in order if code in sold]
    if len(found.steps) == 1 or not (currencies or any(share.ended for share in shares)):
        return None
    asked = request.GET.get("currency", "")
    currency = asked if asked in currencies else next(iter(currencies), "")
    by_step = found.by("step", kind=Kind.PAID, currency=currency)
    paid = [by_step.get(step, Total()) for step in range(len(found.steps))]
    days = [title_of(step) for step in found.steps]
    shown = [money(one.amount, currency) if currency else "" for one in paid]
    counts = [one.count for one in paid]
    addresses = [
        lists.paid(currency, days=step) if count else "" for step, count in zip(found.steps, counts, strict=True)
    ]
    data = {
        "locale": notation().locale.replace("_", "-"),
        "days": days,
        "amounts": [str(to_decimal(one.amount, currency)) for one in paid] if currency else [],
        "shown": shown,
        "counts": counts,
        "addresses": addresses,
        "rates": [None if share.rate is None else str(share.rate) for share in shares],
    }
    return Chart(currency, currencies, list(zip(days, counts, shown, shares, addresses, strict=True)), data)


def _balances(here: RequestContext, held: Holdings, order: list[str]) -> list[tuple[str, Holding, Day | None]]:
    """Each currency ever used, with its balances and next release."""
    coming = {day.currency: day for day in next_days(here.merchant, timezone.get_current_timezone())}
    totals = held.currencies
    return [(code, totals[code], coming.get(code)) for code in order if code in held.used]
