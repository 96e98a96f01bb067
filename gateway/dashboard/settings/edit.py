"""Editing the company's own data, with a preview of its card page."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts import company, names
from accounts.models import Company
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm

OURS = "#0b5cb0"
"""The default brand color."""


CURRENCY = {"BR": "BRL", "MX": "MXN", "AR": "ARS", "CO": "COP", "PT": "EUR"}


class CompanySettingsForm(DashboardForm):
    """The company's own data."""

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


def brand(shown: Company) -> dict[str, Any]:
    """The colors of the card page's preview."""
    color = shown.brand_color or OURS
    return {"brand": color, "ink": ink_on(color), "currency": CURRENCY.get(shown.country, "BRL")}


def ink_on(color: str) -> str:
    """Black or white, whichever is more readable on a color, as on the hosted card page."""
    parts = [int(color[n : n + 2], 16) for n in (1, 3, 5)]
    red, green, blue = (part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in parts)
    return "#0d141b" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else "#ffffff"


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE)
def company_data(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Changes the company's own data."""
    known = {name: getattr(here.company, name) for name in company.OWN}
    form = CompanySettingsForm(request.POST if request.method == "POST" else None, initial=known)
    if form.is_valid():
        company.change(request, here.company, **form.cleaned_data)
        return here.redirect("settings", message=_("Saved."))
    return here.render("settings/edit.html", form=form, **brand(here.company))
