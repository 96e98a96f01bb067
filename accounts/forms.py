"""Forms for people who join."""

import re
from typing import Any

from allauth.core import context
from django import forms
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.functional import lazy
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts import joining, names, terms
from accounts.models import Company, User
from accounts.tax_ids import COUNTRIES, TaxIdInvalid, proved_tax_id, tax_id_hint

_REGION = re.compile(r"\b[a-z]{2}-([A-Z]{2})\b")


def _country_of_the_browser() -> str:
    """The first supported country in the browser's languages ("es-MX"); none if they name no country."""
    languages = context.request.headers.get("accept-language", "") if context.request else ""
    known = dict(COUNTRIES)
    return next((region for region in _REGION.findall(languages) if region in known), "")


def _hints_by_country() -> SafeString:
    """One hint for each country; the stylesheet shows that of the chosen one."""
    hints = ((code, *tax_id_hint(code)) for code, _name in COUNTRIES)
    return format_html_join(" ", '<span class="of-country" data-country="{}">{}: {}</span>', hints)


class NewCompanyFields(forms.Form):
    """A company as its founder enters it."""

    trade_name = forms.CharField(label=_("Company name"), min_length=2, max_length=120, validators=[names.plain])
    legal_name = forms.CharField(label=_("Legal name"), min_length=2, max_length=120, validators=[names.plain])
    country = forms.ChoiceField(
        label=_("Country"), choices=[("", _("Choose the country")), *COUNTRIES], initial=_country_of_the_browser
    )
    tax_id = forms.CharField(
        label=_("Tax id of the company"), max_length=20, help_text=lazy(_hints_by_country, SafeString)()
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("country") and cleaned.get("tax_id"):
            try:
                kind, cleaned["tax_id"] = proved_tax_id(cleaned["country"], cleaned["tax_id"])
            except TaxIdInvalid:
                kind = tax_id_hint(cleaned["country"])[0]
                self.add_error("tax_id", _("This is not a valid %(kind)s: please check the digits.") % {"kind": kind})
            else:
                cleaned["tax_id_type"] = kind
        return cleaned

    def company(self, email: str) -> Company:
        """The entered company, unsaved."""
        names = ("trade_name", "legal_name", "country", "tax_id", "tax_id_type")
        return Company(**{name: self.cleaned_data[name] for name in names}, email=email)


class CompanyOfTheFounder(NewCompanyFields):
    """Our fields of the sign-up form. An invited person joins an existing company."""

    field_order = ("trade_name", "legal_name", "country", "tax_id", "email", "password1", "terms")
    terms = forms.BooleanField(label="", error_messages={"required": _("Please accept them to create your account.")})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["terms"].label = render_to_string("dashboard/_terms.html", terms.links())
        self.invitation = joining.invitation_in(context.request)
        if self.invitation:
            for name in NewCompanyFields.base_fields:
                del self.fields[name]
            self.fields["email"].initial = self.invitation.email

    def signup(self, request: HttpRequest, user: User) -> None:
        """Invitations are accepted on their own page, once the address is verified."""
        terms.accept(request, user)
        if not self.invitation:
            joining.found(request, user, self.company(user.email))
