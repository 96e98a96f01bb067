"""A conversion: the amount, the quote with its full cost, and its confirmation while it is valid."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.base.errors import Refusal
from accounts.models import Merchant
from accounts.roles import May
from gateway.conversions import services
from gateway.conversions.errors import QuoteAlreadyUsed
from gateway.conversions.models import Conversion
from gateway.conversions.quotes import LONGEST, ConversionQuote, read, sign
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.amounts import ExactAmountField, in_currency
from gateway.dashboard.context import RequestContext
from gateway.dashboard.currencies import put_in_order
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.refusals import in_words
from gateway.sales.currencies import in_order
from ledger.chart import WALLET_METHOD
from ledger.money import convert, to_decimal, to_minor
from ledger.notation import written
from ledger.wallets.selectors import holdings

WALLETS = [(code, code) for code in WALLET_METHOD]


class ConversionForm(DashboardForm):
    """The amount and the two wallets."""

    source = forms.ChoiceField(label=pgettext_lazy("wallet", "From"), choices=WALLETS)
    destination = forms.ChoiceField(label=pgettext_lazy("wallet", "To"), choices=WALLETS)
    amount = ExactAmountField(label=gettext_lazy("Amount"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        in_currency(self, amount=self.data.get("source"))

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("source") and given.get("source") == given.get("destination"):
            self.add_error("destination", _("Choose another wallet."))
        return given

    def draft(self) -> services.ConversionDraft:
        source, destination = self.cleaned_data["source"], self.cleaned_data["destination"]
        return services.ConversionDraft(
            source_method=WALLET_METHOD[source],
            destination_method=WALLET_METHOD[destination],
            source_amount=self.cleaned_data["amount"],
            source_currency=source,
            destination_currency=destination,
        )


class ConfirmForm(DashboardForm):
    """The quote to confirm."""

    token = forms.CharField(max_length=LONGEST, widget=forms.HiddenInput)


@dataclass(frozen=True, slots=True)
class ConversionOffer:
    """A quote as shown. Minor units; `until` is in real time, whatever the merchant's clock shows."""

    quote: ConversionQuote
    token: str
    until: datetime
    gives: int
    gets: int
    market: int
    available: int

    @property
    def cost(self) -> int:
        """The difference to the market rate, in the destination currency."""
        return self.market - self.gets

    @property
    def after(self) -> int | None:
        """The source's available balance afterwards; None if it is insufficient."""
        return self.available - self.gives if self.available >= self.gives else None


def offered(merchant: Merchant, quote: ConversionQuote) -> ConversionOffer:
    source, destination = quote.source_currency, quote.destination_currency
    gives = to_minor(quote.source_amount, source)
    held = holdings(merchant, source).currencies.get(source)
    return ConversionOffer(
        quote=quote,
        token=sign(quote),
        until=quote.expires_at - merchant.clock_offset,
        gives=gives,
        gets=to_minor(quote.destination_amount, destination),
        market=convert(gives, source, destination, quote.market_rate),
        available=held.available if held else 0,
    )


def _to_convert(here: RequestContext) -> Facts:
    """The quote's terms; empty for an invalid or expired one."""
    try:
        quote = read(here.request.POST.get("token", ""), here.merchant)
    except Refusal:
        return []
    return [
        (_("You sell"), written(quote.source_amount, quote.source_currency, coded=True)),
        (_("You receive"), written(quote.destination_amount, quote.destination_currency, coded=True)),
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MOVE_MONEY, steps_up=action(gettext_lazy("Convert money"), about=_to_convert))
def new(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Shows a quote on request; a POST confirms the quote it names."""
    if request.method == "POST":
        return _confirm(here, ConfirmForm(request.POST))
    if "amount" not in request.GET:
        return _page(here, ConversionForm(initial=_defaults(here.merchant, request.GET.get("source"))))
    form, offer = ConversionForm(request.GET), None
    if form.is_valid():
        try:
            offer = offered(here.merchant, services.quote(here.merchant, form.draft()))
        except Refusal as refusal:
            form.add_error(_field(refusal), in_words(refusal))
    return _page(here, form, offer=offer)


def _field(refusal: Refusal) -> str | None:
    return {"sourceAmount": "amount", "sourceMethod": "source", "destinationMethod": "destination"}.get(
        refusal.field or ""
    )


def _confirm(here: RequestContext, form: ConfirmForm) -> HttpResponse:
    if not form.is_valid():
        return _page(here, ConversionForm(initial=_defaults(here.merchant)), status=400)
    token = form.cleaned_data["token"]
    try:
        made = _confirmed(here, token)
    except QuoteAlreadyUsed as used:
        return here.redirect("conversion", used.details["conversionId"], message=_("This has already been confirmed."))
    except Refusal as refusal:
        again = ConversionForm(initial=_terms_of(here.merchant, token))
        return _page(here, again, refused=in_words(refusal), status=refusal.status)
    return here.redirect("conversion", made.pk, message=_("Converted."))


@transaction.atomic
def _confirmed(here: RequestContext, token: str) -> Conversion:
    """A quote can be confirmed only once, which makes the form idempotent."""
    made = services.confirm(here.merchant, token)
    facts = {
        "source": f"{to_decimal(made.source_amount, made.source_currency)} {made.source_currency}",
        "destination": f"{to_decimal(made.destination_amount, made.destination_currency)} {made.destination_currency}",
        "appliedRate": str(made.applied_rate),
    }
    here.record("conversion.confirmed", made.pk, after=facts)
    return made


def _terms_of(merchant: Merchant, token: str) -> dict[str, Any]:
    """The terms of a quote; empty for an invalid one."""
    try:
        quoted = read(token, merchant)
    except Refusal:
        return {}
    return {
        "source": quoted.source_currency,
        "destination": quoted.destination_currency,
        "amount": quoted.source_amount,
    }


def _defaults(merchant: Merchant, source: str | None = None) -> dict[str, Any]:
    """Defaults: from the requested wallet, or one with a balance, into another."""
    held = [code for code, holding in holdings(merchant).currencies.items() if holding.available]
    order = in_order(merchant, WALLET_METHOD)
    begin = source if source in WALLET_METHOD else next((code for code in order if code in held), order[0])
    return {"source": begin, "destination": next(code for code in order if code != begin)}


def _page(
    here: RequestContext,
    form: ConversionForm,
    *,
    offer: ConversionOffer | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    put_in_order(here.merchant, form, "source", "destination")
    held = holdings(here.merchant).currencies
    return here.render(
        "conversions/new.html",
        status=status,
        form=form,
        offer=offer,
        refused=refused,
        held=[(code, held[code].available) for code in WALLET_METHOD],
    )
