"""Test payments from the dashboard: a working order for any method that the sandbox offers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts.base.errors import MethodRefusal, Refusal
from accounts.base.ids import ulid
from accounts.environments import base_url
from accounts.roles import May
from gateway.api.inputs.fields import validated
from gateway.api.inputs.payments import PaymentInput
from gateway.dashboard.access import page_view
from gateway.dashboard.amounts import AmountField, in_currency
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm, style
from gateway.dashboard.payments.faults import add_faults
from gateway.dashboard.templatetags.dashboard import money
from gateway.methods.registry import Method, rail_of
from gateway.methods.scenarios import SCENARIOS
from gateway.methods.selectors import MethodOffer, offers, required_fields
from gateway.methods.words import GIVEN
from gateway.payments import questions
from gateway.payments import services as payments
from gateway.payments.models import Payment, Status
from gateway.simulations.examples import ORDERS
from ledger.notation import market_of

_DUE_IN = timedelta(days=3)
_MAGIC = 1000
"""Magic amounts are whole and end in three specific digits."""
_LABELS: dict[str, Any] = {
    "payer.name": gettext_lazy("Name of the payer"),
    "payer.taxId": gettext_lazy("Tax id of the payer"),
    "payer.email": gettext_lazy("E-mail of the payer"),
    "payer.phone": gettext_lazy("Phone of the payer"),
    "payer.address.street": gettext_lazy("Street"),
    "payer.address.number": pgettext_lazy("address", "Number"),
    "payer.address.district": gettext_lazy("District"),
    "payer.address.city": gettext_lazy("City"),
    "payer.address.state": pgettext_lazy("address", "State"),
    "payer.address.postalCode": gettext_lazy("Postal code"),
    "dueDate": gettext_lazy("Due date"),
}
"""Labels of a method's fields, by path in an order, in form order."""
_PLAYED: dict[int, Any] = {
    911: gettext_lazy("It is declined immediately"),
    912: gettext_lazy("The provider's first response is invalid"),
    913: gettext_lazy("The provider is unavailable at first"),
    914: gettext_lazy("The payer can continue only after ten seconds"),
    915: gettext_lazy("It is held for a security review for one minute"),
    916: gettext_lazy("The card is entered on our page instead of secure fields"),
    917: gettext_lazy("The payer declines after ten seconds"),
    918: gettext_lazy("The card must be entered again for another acquirer"),
}


@dataclass(frozen=True)
class TestMethod:
    """An enabled method in a currency, its required members, and whether a payment may have a due date."""

    offer: MethodOffer
    flow: str
    required: Sequence[str]
    takes_due_date: bool

    @property
    def key(self) -> str:
        return f"{self.method}.{self.currency}"

    @property
    def method(self) -> str:
        return self.offer.rule.method

    @property
    def currency(self) -> str:
        return self.offer.rule.currency

    @property
    def given(self) -> Promise:
        return GIVEN[self.flow].title

    @property
    def limits(self) -> str:
        least, most = (money(minor, self.currency) for minor in (self.offer.minimum, self.offer.rule.maximum))
        return _("From %(least)s to %(most)s.") % {"least": least, "most": most}

    @property
    def asked(self) -> list[str]:
        return [path for path in _LABELS if path in self.required or (path == "dueDate" and self.takes_due_date)]

    @property
    def scenarios(self) -> list[tuple[int, str | Promise]]:
        """Scenarios: the last digits of the amount, and the effect."""
        fitting = (one for one in SCENARIOS if self.method in one.methods and one.currency in (None, self.currency))
        return [(one.tail, _PLAYED.get(one.tail, one.effect)) for one in fitting]


class TrialForm(OnceForm):
    """An order for one payment method, prefilled so that it can be sent as it is."""

    amount = AmountField(label=gettext_lazy("Amount"))
    reference = forms.CharField(label=gettext_lazy("Reference"), max_length=128)
    scenario = forms.TypedChoiceField(
        label=gettext_lazy("What happens"),
        coerce=int,
        empty_value=None,
        required=False,
        help_text=gettext_lazy(
            "The amount selects the scenario: its last three digits are changed to those of the scenario."
        ),
    )

    def __init__(self, here: RequestContext, way: TestMethod, data: Any = None) -> None:
        self.way, self.back = way, base_url(here.merchant.environment) + here.to("payment_returned")
        super().__init__(data, initial=_filled_in(here, way))
        in_currency(self, amount=way.currency)
        for path in way.asked:
            self.fields[_name(path)] = _field(path, is_required=path in way.required)
        self.fields["amount"].help_text = way.limits
        self.fields["scenario"].choices = [("", _("The payer decides")), *way.scenarios]  # type: ignore[attr-defined]
        self.order_fields([*(name for name in self.fields if name != "scenario"), "scenario"])
        style(self)

    def order(self) -> dict[str, Any]:
        """The body of a request for this payment."""
        given = self.cleaned_data
        body: dict[str, Any] = {
            "method": self.way.method,
            "currency": self.way.currency,
            "amount": _played(given["amount"], given["scenario"]),
            "reference": given["reference"],
            "payer": {},
            "returnUrl": self.back,
        }
        for path in self.way.asked:
            if value := given[_name(path)]:
                _set_member(body, path, value)
        return body


def _filled_in(here: RequestContext, way: TestMethod) -> dict[str, Any]:
    order = ORDERS[way.method, way.currency]
    due = (here.now + _DUE_IN).date().isoformat()
    values = {_name(path): due if path == "dueDate" else _at(order, path) for path in way.asked if path in way.required}
    return values | {"amount": Decimal(str(order["amount"])), "reference": f"test-{ulid()[-8:].lower()}"}


def _field(path: str, *, is_required: bool) -> forms.Field:
    if path == "dueDate":
        hint = "" if is_required else _("Optional: the last day to pay.")
        widget = forms.DateInput(attrs={"type": "date"})
        return forms.CharField(label=_LABELS[path], help_text=hint, widget=widget, required=is_required)
    return forms.CharField(label=_LABELS[path], max_length=120)


def _name(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _at(order: dict[str, Any], path: str) -> Any:
    for member in path.split("."):
        order = order.get(member, {})
    return order or ""


def _set_member(body: dict[str, Any], path: str, value: Any) -> None:
    *folders, name = path.split(".")
    for folder in folders:
        body = body.setdefault(folder, {})
    body[name] = value


def _played(amount: Decimal, tail: int | None) -> Decimal:
    return amount if tail is None else amount // _MAGIC * _MAGIC + tail


def ways(here: RequestContext) -> list[TestMethod]:
    """All enabled methods in their order."""
    found = []
    for offer in offers(here.merchant):
        rule = offer.rule
        rail = rail_of(rule.method, rule.currency, here.merchant.environment)
        if rail and (rule.method, rule.currency) in ORDERS:
            flow = rail.market(rule.currency).flow
            required = required_fields(rail, rule.currency, here.now)
            found.append(TestMethod(offer, flow, required, rail.takes_due_date))
    order = list(Method)
    return sorted(found, key=lambda way: order.index(Method(way.method)))


def _first(here: RequestContext, found: list[TestMethod]) -> TestMethod | None:
    """One of the company's own country if possible."""
    at_home = (way for way in found if market_of(way.currency) == here.company.country)
    return next(at_home, found[0] if found else None)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.SIMULATE, sandbox_only=True)
def new(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """The method is selected with `?way=`; its fields are prefilled."""
    found = ways(here)
    chosen = next((way for way in found if way.key == request.GET.get("way")), _first(here, found))
    if chosen is None:
        return here.render("payments/new.html", form=None)
    form = TrialForm(here, chosen, request.POST if request.method == "POST" else None)
    if form.is_valid() and (payment := _begun(here, form)):
        return here.redirect("payment", payment.id, message=_query_provider(payment))
    methods = [list(group) for _method, group in groupby(found, key=lambda way: way.method)]
    return here.render("payments/new.html", form=form, methods=methods, chosen=chosen)


def _begun(here: RequestContext, form: TrialForm) -> Payment | None:
    """The payment, or None if it was refused and the form says why."""
    try:
        order = validated(PaymentInput, form.order(), here.merchant)
        with transaction.atomic():
            here.claim(form)
            payment = payments.create(here.merchant, order.request())
            here.record("payment.tried", payment.id, after={"method": payment.method, "reference": payment.reference})
    except Refusal as refusal:
        add_faults(form, refusal)
        return None
    return payment


def _query_provider(payment: Payment) -> str:
    """Like the API, asks the provider of a new payment now; returns the message for the page."""
    if payment.is_unanswered:
        try:
            payment = questions.answer(payment.merchant, questions.ask(payment))
        except MethodRefusal:
            return _("The provider gave no clear answer. It will be asked again within a minute.")
    if payment.status == Status.FAILED:
        return _("The test payment was declined.")
    return _("The test payment was created. Now you are the payer.")


@require_safe
@page_view(May.READ_PAYMENTS)
def returned(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """The return page of a test payment: redirects to its page."""
    return here.redirect("payment", request.GET.get("paymentId", "-"))
