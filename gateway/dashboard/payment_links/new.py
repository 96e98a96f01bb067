"""A new payment link, in one of the currencies that the company can take."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from pydantic.alias_generators import to_camel, to_snake

from accounts.base.errors import Refusal
from accounts.base.wire import optional_timestamp
from accounts.roles import May
from gateway.api.inputs.fields import validated
from gateway.api.inputs.payment_links import PaymentLinkInput
from gateway.dashboard.access import page_view
from gateway.dashboard.amounts import ExactAmountField, in_currency
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.payment_links.words import EXPIRED_ALREADY, FAULT
from gateway.dashboard.words import METHOD
from gateway.payment_links import services
from gateway.payment_links.models import MOST_USES, PaymentLink
from gateway.payments.payable import Payable, payable
from gateway.payout_schedules.calendar import zone_of
from gateway.sales.currencies import in_order
from ledger.notation import market_of


class LinkForm(OnceForm):
    """Its fields are the members of the API, in snake case."""

    description = forms.CharField(
        label=gettext_lazy("What is paid"), max_length=200, help_text=gettext_lazy("The payer reads this.")
    )
    amount = ExactAmountField(
        label=gettext_lazy("Amount"),
        required=False,
        help_text=gettext_lazy("Leave it empty if the payer is to choose the amount, and set the limits below."),
    )
    min_amount = ExactAmountField(label=gettext_lazy("The payer chooses: at least"), required=False)
    max_amount = ExactAmountField(label=gettext_lazy("The payer chooses: at most"), required=False)
    methods = forms.MultipleChoiceField(
        label=gettext_lazy("Payment methods"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("None ticked: all that you can take in this currency."),
    )
    max_uses = forms.IntegerField(
        label=gettext_lazy("How many payments"),
        required=False,
        min_value=1,
        max_value=MOST_USES,
        help_text=gettext_lazy("1 for a single customer; empty for no limit."),
    )
    expires_at = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=gettext_lazy("In the time zone of the company's country; empty: it does not expire."),
    )
    reference_prefix = forms.RegexField(
        r"^[A-Za-z0-9._-]*$",
        label=gettext_lazy("Beginning of the references"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("Letters, digits and . _ - for your accounting."),
    )
    collects_contact = forms.BooleanField(
        label=gettext_lazy("Ask every payer for e-mail and phone as well"), required=False
    )

    def __init__(self, here: RequestContext, ways: list[Payable], data: Any = None) -> None:
        self.here, self.currency = here, ways[0].currency
        super().__init__(data)
        in_currency(self, amount=self.currency, min_amount=self.currency, max_amount=self.currency)
        self.fields["methods"].choices = [(one.method, METHOD[one.method]) for one in ways]  # type: ignore[attr-defined]

    def clean_expires_at(self) -> datetime | None:
        day: date | None = self.cleaned_data["expires_at"]
        if day is None:
            return None
        zone = ZoneInfo(zone_of(self.here.company.country))
        over = datetime.combine(day + timedelta(days=1), time(), zone).astimezone(UTC)
        if over <= self.here.now:
            raise forms.ValidationError(EXPIRED_ALREADY)
        return over

    def body(self) -> dict[str, Any]:
        """The body of the request that makes this link."""
        given = self.cleaned_data | {"once": None, "expires_at": optional_timestamp(self.cleaned_data["expires_at"])}
        filled_in = {to_camel(name): value for name, value in given.items() if value not in (None, "", [])}
        return filled_in | {"currency": self.currency}

    def show(self, refusal: Refusal) -> None:
        """Every fault at its field."""
        for fault in refusal.faults:
            name = to_snake(fault.field.partition("[")[0])
            words = str(FAULT.get(fault.code, _("Check this value.")))
            self.add_error(name if name in self.fields else None, words)
        if not refusal.faults:
            self.refuse(refusal)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.SELL)
def new(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """The currency is selected with `?currency=`."""
    by_currency: dict[str, list[Payable]] = {}
    for one in payable(here.merchant):
        by_currency.setdefault(one.currency, []).append(one)
    if not by_currency:
        return here.render("payment_links/new.html", form=None)
    at_home = next((code for code in by_currency if market_of(code) == here.company.country), next(iter(by_currency)))
    currency = request.GET.get("currency", at_home)
    ways = by_currency.get(currency) or by_currency[at_home]
    form = LinkForm(here, ways, request.POST if request.method == "POST" else None)
    if form.is_valid() and (link := _made(here, form)):
        return here.redirect("payment_link", link.pk, message=_("The link is ready. Share it with your customers."))
    return here.render(
        "payment_links/new.html", form=form, currencies=in_order(here.merchant, by_currency), chosen=form.currency
    )


def _made(here: RequestContext, form: LinkForm) -> PaymentLink | None:
    """The link, or None if it was refused and the form says why."""
    try:
        draft = validated(PaymentLinkInput, form.body(), here.merchant).draft()
        with transaction.atomic():
            here.claim(form, back=here.to("payment_links"))
            link = services.create(here.merchant, draft, by=here.user)
            facts = {"description": link.description, "currency": link.currency, "least": link.least, "most": link.most}
            here.record("payment_link.created", link.pk, after=facts)
    except Refusal as refusal:
        form.show(refusal)
        return None
    return link
