"""What holds for the company: its data, the address of its withdrawals, terms, and what is switched on."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts import company, names
from accounts.audit import Actor
from accounts.base.errors import Refusal
from accounts.models import Company, WithdrawalWait
from accounts.roles import May
from accounts.waits import services as waits
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.methods import selectors as methods
from gateway.payouts import selectors as payouts

OURS = "#0b5cb0"
"""The colour of whoever chose none."""
CURRENCY = {"BR": "BRL", "MX": "MXN", "AR": "ARS", "CO": "COP", "PT": "EUR"}


class CompanySettingsForm(DashboardForm):
    """What a company says of itself."""

    trade_name = forms.CharField(
        label=gettext_lazy("Company name"),
        min_length=2,
        max_length=120,
        validators=[names.plain],
        help_text=gettext_lazy("As payers see it on the checkout, on receipts and in their bank's app"),
    )
    city = forms.CharField(
        label=gettext_lazy("City"), min_length=2, max_length=60, help_text=gettext_lazy("Printed in PIX codes")
    )
    email = forms.EmailField(
        label=gettext_lazy("Contact e-mail address"), required=False, help_text=gettext_lazy("Where we write to you")
    )
    phone = forms.CharField(
        label=gettext_lazy("Contact phone"),
        required=False,
        validators=[RegexValidator(r"^\+[1-9]\d{6,14}$", gettext_lazy("With the country code, like +5511999990000."))],
        help_text=gettext_lazy("With the country code, like +5511999990000"),
    )
    brand_color = forms.CharField(
        label=gettext_lazy("Brand color"),
        required=False,
        validators=[RegexValidator(r"^#[0-9a-fA-F]{6}$", gettext_lazy("Six hexadecimal digits after #."))],
        help_text=gettext_lazy("For the hosted card page, like #0b5cb0; empty for our default"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["brand_color"].widget.attrs["data-brand"] = "color"
        self.fields["trade_name"].widget.attrs["data-brand"] = "name"

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()

    def clean_phone(self) -> str:
        return str(self.cleaned_data["phone"])


class AddressForm(DashboardForm):
    """The one address from which backends withdraw."""

    address = forms.CharField(
        label=gettext_lazy("IP address"),
        required=False,
        max_length=45,
        help_text=gettext_lazy("One public IPv4 or IPv6 address, not a network; empty: no withdrawals through the API"),
    )


@require_safe
@page_view(May.READ_PAYMENTS)
def settings(request: HttpRequest, here: RequestContext) -> HttpResponse:
    return here.render(
        "settings/company.html",
        flags=_flags(here),
        changed=company.last_change_of_address(here.company),
        wait=waits.until(here.company.pk),
        may_lift=waits.may_lift(here.company, here.user),
        **_brand(here.company),
    )


def _brand(shown: Company) -> dict[str, Any]:
    """What the preview of the card page is painted with."""
    color = shown.brand_color or OURS
    return {"brand": color, "ink": ink_on(color), "currency": CURRENCY.get(shown.country, "BRL")}


def _flags(here: RequestContext) -> list[tuple[Promise, Promise, bool]]:
    """What can be switched on, what it is for, and whether it is on."""
    merchant = here.merchant
    return [
        (
            gettext_lazy("Withdrawals"),
            gettext_lazy("Withdraw to PIX keys, bank accounts and crypto addresses"),
            merchant.withdrawal_enabled,
        ),
        (gettext_lazy("Conversions"), gettext_lazy("Convert money between your wallets"), merchant.conversion_enabled),
        (gettext_lazy("Advances"), gettext_lazy("Receivables paid out early"), merchant.advance_enabled),
        (
            gettext_lazy("Card tokens"),
            gettext_lazy("Payers' cards are saved for later payments"),
            merchant.card_tokens_enabled,
        ),
    ]


def ink_on(color: str) -> str:
    """Black or white, whichever is easier to read on a colour: as the hosted card page decides it."""
    parts = [int(color[n : n + 2], 16) for n in (1, 3, 5)]
    red, green, blue = (part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in parts)
    return "#0d141b" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else "#ffffff"


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE)
def company_data(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Changes what the company says of itself."""
    known = {name: getattr(here.company, name) for name in company.OWN}
    form = CompanySettingsForm(request.POST if request.method == "POST" else None, initial=known)
    if form.is_valid():
        company.change(request, here.company, **form.cleaned_data)
        return here.go("settings", said=_("Saved."))
    return here.render("settings/edit.html", form=form, **_brand(here.company))


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Register the withdrawal address"), AddressForm))
def withdrawal_address(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Registers the address; `?use=` fills in one that was refused."""
    refused = [one for one in company.refused_origins(here.company) if one.address != here.company.withdrawal_ip]
    offered = next((one.address for one in refused if one.address == request.GET.get("use")), None)
    form = AddressForm(
        request.POST if request.method == "POST" else None,
        initial={"address": offered or here.company.withdrawal_ip or ""},
    )
    if form.is_valid():
        try:
            address = company.register_address(Actor.of(request), here.company, form.cleaned_data["address"])
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.go("settings", said=_said(address))
    changed = company.last_change_of_address(here.company)
    return here.render("settings/address.html", form=form, refused=refused, offered=offered, changed=changed)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=True)
def withdrawal_wait(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Shows why production withdrawals wait, and lets an owner whom no change touched lift the wait."""
    running = [(WAITS_AFTER[WithdrawalWait.Why(one.why)], one) for one in waits.running(here.company.pk)]
    if request.method == "POST" and running:
        waits.lift(request, here.company)
        return here.go("settings", said=_("Production withdrawals are no longer delayed."))
    may_lift = waits.may_lift(here.company, here.user)
    return here.render("settings/wait.html", running=running, may_lift=may_lift)


WAITS_AFTER = {
    WithdrawalWait.Why.ADDRESS: gettext_lazy("Support changed the withdrawal address"),
    WithdrawalWait.Why.KEY: gettext_lazy("Support issued a key that can move money"),
    WithdrawalWait.Why.TEAM: gettext_lazy("Support changed the team"),
    WithdrawalWait.Why.LOGIN: gettext_lazy("Support changed how a member signs in"),
}


def _said(address: str | None) -> str:
    if address is None:
        return _("No address is registered: withdrawals through the API are rejected.")
    return _("Withdrawals through the API are accepted from %(address)s only.") % {"address": address}


@require_safe
@page_view(May.READ_PAYMENTS)
def terms(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Methods and payout rails by currency, with what they cost and whose rule it is."""
    return here.render(
        "settings/terms.html",
        offers=methods.known(here.merchant),
        rails=payouts.known(here.merchant),
        is_active=here.company.status == Company.Status.ACTIVE,
    )


urls = [
    path("settings/", settings, name="settings"),
    path("settings/company", company_data, name="company_data"),
    path("settings/withdrawal-address", withdrawal_address, name="withdrawal_address"),
    path("settings/withdrawals-wait", withdrawal_wait, name="withdrawal_wait"),
    path("settings/terms", terms, name="terms"),
]
