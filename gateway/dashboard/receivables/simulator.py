"""What having money sooner would cost: choose, look, and ask for it. Somebody else decides."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts.base.csv_export import csv_of
from accounts.base.errors import Refusal
from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.amounts import AmountField, in_currency
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm, OnceForm
from gateway.dashboard.periods import DayField, end
from ledger.chart import WALLET_METHOD
from ledger.money import to_decimal, to_minor
from ledger.notation import typed, written
from ledger.receivables import advances
from ledger.receivables.advances import MOST, AdvanceQuote, QuotedReceivable
from ledger.receivables.errors import ReceivableState
from ledger.receivables.models import Advance
from ledger.receivables.offers import AdvanceOffer, offers

SHOWN = 50
"""Receivables of a quote on the page; the file has all."""
ALL, UNTIL, AMOUNT, THESE = "all", "until", "amount", "these"


class ChoiceForm(DashboardForm):
    """Which receivables. It is a question only: nothing is done by sending it."""

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
        """What the chosen ones would give now. Refuses as `advances.quote` does."""
        given = self.cleaned_data
        asked: dict[str, Callable[[], AdvanceQuote]] = {
            ALL: lambda: advances.quote_until(merchant, given["currency"]),
            UNTIL: lambda: advances.quote_until(merchant, given["currency"], end(given["until"])),
            AMOUNT: lambda: advances.quote_amount(merchant, given["currency"], _minor(given)),
            THESE: lambda: advances.quote(merchant, self.ticked[:MOST]),
        }
        return asked[given["choose"]]()


def _minor(given: dict[str, Any]) -> int:
    """Rounded up where somebody writes more decimals than there are."""
    currency = given["currency"]
    return to_minor(given["amount"].quantize(to_decimal(1, currency), "ROUND_UP"), currency)


class RequestForm(OnceForm):
    """Asks for what was looked at: these receivables, at this price or a lower one."""

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


class PriceRose(Exception):
    """Something changed since the price was looked at."""


@require_safe
@page_view(May.READ_MONEY)
def simulate(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """Fee, net and days gained, in total and of each receivable. Nothing is written."""
    found = offers(here.merchant, here.now)
    form, quote = _chosen(request, here, found)
    if quote and request.GET.get("format") == "csv":
        return csv_of(_("advance"), _columns(), iter([quote.items]))
    most = _most(here.merchant, found)
    return here.render(
        "receivables/simulate.html",
        form=form,
        offers=found,
        most_net=str(most) if most else "",
        most_typed=typed(most) if most else "",
        is_asked=form.is_bound,
        **_quoted(quote),
    )


def _most(merchant: Merchant, found: list[AdvanceOffer]) -> Decimal | None:
    """What an amount can be at most, where there is one currency only: as far as the slider goes."""
    if len(found) != 1 or not merchant.advance_enabled:
        return None
    try:
        return to_decimal(advances.quote_until(merchant, found[0].currency).net, found[0].currency)
    except Refusal:
        return None


def _chosen(
    request: HttpRequest, here: RequestContext, found: list[AdvanceOffer]
) -> tuple[ChoiceForm, AdvanceQuote | None]:
    """The form as it was sent, and what the choice would give; None where it is refused, which the form says."""
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
        form.add_error(None, _why_nothing(here, form))
    except Refusal as refusal:
        form.refuse(refusal)
    return form, None


def _beginning(found: list[AdvanceOffer]) -> dict[str, Any]:
    if not found:
        return {"choose": ALL}
    return {"choose": ALL, "currency": found[0].currency, "until": timezone.localdate(found[0].last_at)}


def _why_nothing(here: RequestContext, form: ChoiceForm) -> str:
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


def _quoted(quote: AdvanceQuote | None) -> dict[str, Any]:
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


def _to_advance(here: RequestContext) -> Facts:
    """As it is priced now; the form's own price is compared when it is carried out."""
    form = RequestForm(here.request.POST)
    try:
        quote = advances.quote(here.merchant, form.ids) if form.is_valid() else None
    except Refusal:
        quote = None
    if quote is None:
        return []
    amounts = (_("Amount"), quote.gross), (_("Fee"), quote.fee), (_("Net"), quote.net)
    counted: Facts = [(_("Receivables"), len(quote.items))]
    return counted + [(name, written(to_decimal(amount, quote.currency), quote.currency)) for name, amount in amounts]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MOVE_MONEY, steps_up=action(gettext_lazy("Request an advance"), about=_to_advance))
def ask(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Shows once more what is asked for, and asks for it. The price can only fall until it is decided."""
    if request.method == "POST":
        return _request(request, here)
    _form, quote = _chosen(request, here, offers(here.merchant, here.now))
    if quote is None:
        return here.go("simulate_advance")
    return here.render("receivables/request.html", form=RequestForm.of(quote), **_quoted(quote))


def _request(request: HttpRequest, here: RequestContext) -> HttpResponse:
    form = RequestForm(request.POST)
    if not form.is_valid():
        return here.go("simulate_advance")
    try:
        advance = _requested(here, form)
    except PriceRose:
        again = RequestForm.of(quote := advances.quote(here.merchant, form.ids))
        return here.render("receivables/request.html", form=again, was_changed=True, **_quoted(quote))
    except Refusal as refusal:
        form.refuse(refusal)
        return here.render("receivables/request.html", form=form, status=refusal.status, **_quoted(None))
    return here.go("advance", advance.pk, said=_("The advance is requested and under review."))


def _requested(here: RequestContext, form: RequestForm) -> Advance:
    seen = form.cleaned_data
    with transaction.atomic():
        here.claim(form)
        advance = advances.request(here.merchant, form.ids, here.user)
        if advance.gross_amount != seen["gross"] or advance.fee > seen["fee"]:
            raise PriceRose
        told = {"gross": advance.gross_amount, "fee": advance.fee, "currency": advance.currency}
        here.record("advance.requested", advance.pk, after=told | {"receivables": len(form.ids)})
    return advance


def _columns() -> list[Any]:
    def amount(value: Callable[[QuotedReceivable], int]) -> Any:
        return lambda item: to_decimal(value(item), item.receivable.currency)

    zone = timezone.get_current_timezone_name()
    return [
        (_("Receivable"), lambda item: item.receivable.pk),
        (_("Payment"), lambda item: item.receivable.payment_id),
        (_("Reference"), lambda item: item.receivable.payment_reference),
        (_("Released at (%(zone)s)") % {"zone": zone}, lambda item: item.receivable.release_at),
        (_("Days gained"), lambda item: item.days),
        (_("Currency"), lambda item: item.receivable.currency),
        (_("Amount"), amount(lambda item: item.amount)),
        (_("Fee"), amount(lambda item: item.fee)),
        (_("Net"), amount(lambda item: item.net)),
    ]


urls = [
    path("receivables/advance", simulate, name="simulate_advance"),
    path("receivables/advance/request", ask, name="request_advance"),
]
