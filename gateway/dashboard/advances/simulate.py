"""Simulates the cost of an advance. Nothing is stored."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.base.csv_export import csv_of, timed
from accounts.base.errors import Refusal
from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.advances.forms import ALL, THESE, UNTIL, ChoiceForm
from gateway.dashboard.context import RequestContext
from ledger.money import to_decimal
from ledger.notation import typed, written
from ledger.receivables import advances
from ledger.receivables.advances import MOST, AdvanceQuote, QuotedReceivable
from ledger.receivables.errors import ReceivableState
from ledger.receivables.offers import AdvanceOffer, offers

SHOWN = 50
"""Receivables of a quote shown on the page; the export has all."""


@require_safe
@page_view(May.READ_MONEY)
def simulate(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """Fee, net and days gained, in total and per receivable. Nothing is stored."""
    found = offers(here.merchant, here.now)
    form, quote = chosen(request, here, found)
    if quote and request.GET.get("format") == "csv":
        return csv_of(_("advance"), _columns(), iter([quote.items]))
    most = _most(here.merchant, found)
    return here.render(
        "advances/simulate.html",
        form=form,
        offers=found,
        most_net=str(most) if most else "",
        most_typed=typed(most) if most else "",
        is_asked=form.is_bound,
        **quoted(quote),
    )


def _most(merchant: Merchant, found: list[AdvanceOffer]) -> Decimal | None:
    """The maximum of the slider, if there is only one currency."""
    if len(found) != 1 or not merchant.advance_enabled:
        return None
    try:
        return to_decimal(advances.quote_until(merchant, found[0].currency).net, found[0].currency)
    except Refusal:
        return None


def chosen(
    request: HttpRequest, here: RequestContext, found: list[AdvanceOffer]
) -> tuple[ChoiceForm, AdvanceQuote | None]:
    """The submitted form, and the result of the choice; None if it is refused, with the error on the form."""
    query, ticked = request.GET.copy(), request.GET.getlist("id")
    query.setdefault("currency", found[0].currency if found else "")
    if ticked:
        query.setdefault("choose", THESE)
    form = ChoiceForm(query if "choose" in query else None, initial=_beginning(found), ticked=ticked, offered=found)
    if not form.is_valid():
        return form, None
    try:
        return form, form.quote(here.merchant)
    except ReceivableState:
        form.add_error(None, _nothing_chosen(here, form))
    except Refusal as refusal:
        form.refuse(refusal)
    return form, None


def _beginning(found: list[AdvanceOffer]) -> dict[str, Any]:
    if not found:
        return {"choose": ALL}
    return {"choose": ALL, "currency": found[0].currency, "until": timezone.localdate(found[0].last_at)}


def _nothing_chosen(here: RequestContext, form: ChoiceForm) -> str:
    choose, currency = form.cleaned_data["choose"], form.cleaned_data["currency"]
    if choose == THESE:
        return _(
            "These receivables cannot be advanced together: choose scheduled ones of one currency that are not yet due."
        )
    if choose == UNTIL:
        return _("Nothing that can be advanced is released before then.")
    try:
        most = advances.quote_until(here.merchant, currency)
    except Refusal:
        return _("There is nothing to advance in this currency at the moment.")
    return _("Together they pay %(net)s.") % {"net": written(to_decimal(most.net, currency), currency)}


def quoted(quote: AdvanceQuote | None) -> dict[str, Any]:
    if quote is None:
        return {"quote": None}
    return {
        "quote": quote,
        "items": quote.items[:SHOWN],
        "rest": len(quote.items) - SHOWN,
        "is_full": len(quote.items) >= MOST,
        "most": MOST,
        "share": (Decimal(quote.fee) * 100 / quote.gross).quantize(Decimal("0.01")),
    }


def _columns() -> list[Any]:
    def amount(value: Callable[[QuotedReceivable], int]) -> Any:
        return lambda item: to_decimal(value(item), item.receivable.currency)

    return [
        (_("Receivable"), lambda item: item.receivable.pk),
        (_("Payment"), lambda item: item.receivable.payment_id),
        (_("Reference"), lambda item: item.receivable.payment_reference),
        (timed(_("Released at")), lambda item: item.receivable.release_at),
        (_("Days gained"), lambda item: item.days),
        (_("Currency"), lambda item: item.receivable.currency),
        (_("Amount"), amount(lambda item: item.amount)),
        (_("Fee"), amount(lambda item: item.fee)),
        (_("Net"), amount(lambda item: item.net)),
    ]
