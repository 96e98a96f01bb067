"""Forms of provider accounts and routes; the members of credentials are those that the provider declares."""

from enum import Enum
from typing import Any, get_args

from django import forms
from django.utils import translation
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from pydantic.fields import FieldInfo
from unfold.widgets import (
    UnfoldAdminPasswordWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from accounts.base.errors import Refusal
from accounts.models import Environment, Merchant
from gateway.methods.registry import Method
from gateway.payouts.registry import RailName
from gateway.providers.credentials import is_pem, is_secret, title_of
from gateway.providers.models import Flow, ProviderAccount
from gateway.providers.provider import Provider
from gateway.providers.registry import declared
from gateway.providers.routes import Place, RouteKey, chosen, require_servable
from gateway.staff.kit import refusals
from gateway.staff.kit.amounts import StaffAmountField
from gateway.staff.kit.columns import Title
from gateway.staff.kit.forms import NoteField
from ledger.money import DECIMALS, to_minor

PREFIX, LONG = "credentials_", 1000
PLACES = {
    "first": (_("First"), _("First: smallest amount"), _("First: largest amount")),
    "second": (
        pgettext_lazy("account of a route", "Second"),
        _("Second: smallest amount"),
        _("Second: largest amount"),
    ),
    "third": (_("Third"), _("Third: smallest amount"), _("Third: largest amount")),
    "fourth": (_("Fourth"), _("Fourth: smallest amount"), _("Fourth: largest amount")),
}
"""The names of the fields, with the labels of the account and of its limits."""


class SecretTextarea(UnfoldAdminTextareaWidget):
    """Shows nothing of what was sent."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, None, attrs)
        return context


class CompanyField(forms.CharField):
    """The id of a company; its value is the company's production merchant, or None if empty."""

    def __init__(self, help_text: Title) -> None:
        options: dict[str, Any] = {"label": _("Company"), "help_text": help_text}
        super().__init__(required=False, max_length=40, widget=UnfoldAdminTextInputWidget, **options)

    def clean(self, value: Any) -> Merchant | None:
        company_id = super().clean(value)
        if not company_id:
            return None
        merchants = Merchant.objects.select_related("company").filter(
            environment=Environment.PRODUCTION, company__is_operator=False
        )
        found = merchants.filter(company=company_id).first()
        if found is None:
            raise forms.ValidationError(gettext("There is no company with this id (cmp_…)."))
        return found


class ProviderForm(forms.Form):
    """Which provider the account is at: it decides what else is asked for."""

    provider = forms.ChoiceField(widget=UnfoldAdminSelectWidget)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        names = [(name, translation.gettext(provider.title)) for name, provider in sorted(declared().items())]
        self.fields["provider"].choices = names  # type: ignore[attr-defined]


class CredentialsForm(forms.Form):
    """The members of the credentials that a provider declares. Secrets are never rendered again."""

    note = NoteField()

    def __init__(self, provider: type[Provider[Any]], data: Any = None, shown: dict[str, Any] | None = None) -> None:
        super().__init__(data)
        self.members = provider.credentials_type.model_fields
        for name, member in self.members.items():
            self.fields[PREFIX + name] = _field(name, member)
            self.initial[PREFIX + name] = (shown or {}).get(name, self.fields[PREFIX + name].initial)
        self.order_fields([name for name in self.fields if name != "note"])

    def given(self) -> dict[str, Any]:
        """The members that were filled in."""
        filled = {name: self.cleaned_data.get(PREFIX + name) for name in self.members}
        return {name: value for name, value in filled.items() if value not in ("", None)}

    def tell(self, refusal: Refusal) -> None:
        """Shows what is wrong beside each field."""
        if not refusal.faults:
            self.add_error(None, refusals.in_words(refusal))
        for fault in refusal.faults:
            name = next((one for one in (fault.field, PREFIX + fault.field) if one in self.fields), None)
            self.add_error(name, fault.in_words())


class NewAccountForm(CredentialsForm):
    """An account: whose it is, and its credentials."""

    title = forms.CharField(
        max_length=80, widget=UnfoldAdminTextInputWidget, help_text="How staff tell it from other accounts"
    )
    merchant = CompanyField("Its id (cmp_…), if the account is the company's own. Empty: the platform's")
    system = forms.ChoiceField(
        choices=[("", "---------"), *ProviderAccount.System.choices],
        widget=UnfoldAdminSelectWidget,
        help_text="An account of a test system can be checked, and no route can name it",
    )


class RouteForm(forms.Form):
    """A method or a payout rail, whose route it is, and the accounts in order, each with the amounts for which it is
    asked.
    """

    way = forms.ChoiceField(label="Payments or withdrawals by", widget=UnfoldAdminSelectWidget)
    merchant = CompanyField("Its id (cmp_…). Empty: for every company without a route of its own")
    note = NoteField()

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.fields["way"].choices = [("", "---------"), *_ways()]  # type: ignore[attr-defined]
        usable = ProviderAccount.objects.filter(status="ACTIVE", system="PRODUCTION").select_related(
            "merchant__company"
        )
        accounts = [("", "---------"), *((one.pk, _named(one)) for one in usable.order_by("title"))]
        for name, (place, *limits) in PLACES.items():
            self.fields[name] = forms.ChoiceField(
                choices=accounts, required=False, label=place, widget=UnfoldAdminSelectWidget
            )
            for limit, label in zip(("smallest", "largest"), limits, strict=True):
                self.fields[f"{name}_{limit}"] = StaffAmountField(
                    "0", decimals=max(DECIMALS.values()), required=False, label=label
                )
        self.order_fields([name for name in self.fields if name != "note"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                require_servable(self.key, self.places)
            except Refusal as refusal:
                for fault in refusal.faults:
                    self.add_error(None, fault.in_words())
            except ValueError:
                self.add_error(
                    None, gettext("An amount has more decimals than %(currency)s.") % {"currency": self.key.currency}
                )
        return cleaned

    @property
    def key(self) -> RouteKey:
        flow, method, currency = self.cleaned_data["way"].split(":")
        return RouteKey(method, currency, self.cleaned_data["merchant"], Flow(flow))

    @property
    def places(self) -> list[Place]:
        """Raises ValueError for an amount that the currency does not have, and ONP422_PROVIDER_ROUTE."""
        currency = self.key.currency

        def limit(name: str) -> int | None:
            amount = self.cleaned_data[name]
            return None if amount is None else to_minor(amount, currency)

        names = [name for name in PLACES if self.cleaned_data[name]]
        return chosen(
            [[self.cleaned_data[name], limit(f"{name}_smallest"), limit(f"{name}_largest")] for name in names]
        )


def _ways() -> list[tuple[str, list[tuple[str, str]]]]:
    """What routes can be for: by flow, whatever a provider serves."""
    providers = declared().values()
    ins = sorted({pair for provider in providers for pair in provider.methods})
    outs = sorted({pair for provider in providers for pair in provider.payouts})
    return [
        (
            str(flow.label),
            [(f"{flow}:{name}:{currency}", f"{names(name).label} {currency}") for name, currency in pairs],
        )
        for flow, names, pairs in ((Flow.IN, Method, ins), (Flow.OUT, RailName, outs))
    ]


def _named(account: ProviderAccount) -> str:
    owner = account.merchant.company if account.merchant else gettext("the platform")
    return gettext("%(account)s, of %(company)s") % {"account": account, "company": owner}


def _field(name: str, member: FieldInfo) -> forms.Field:
    options: dict[str, Any] = {
        "label": translation.gettext(title_of(name, member)),
        "required": member.is_required(),
        "help_text": translation.gettext(member.description) if member.description else "",
    }
    if member.annotation is bool:
        return forms.BooleanField(**options | {"required": False, "widget": UnfoldBooleanWidget})
    if choices := _choices(member):
        return forms.ChoiceField(choices=choices, widget=UnfoldAdminSelectWidget, **options)
    if any((getattr(mark, "max_length", None) or 0) >= LONG for mark in member.metadata):
        return forms.CharField(widget=UnfoldAdminTextareaWidget, **options)
    if is_pem(member):
        return forms.CharField(widget=SecretTextarea if is_secret(member) else UnfoldAdminTextareaWidget, **options)
    if is_secret(member):
        hidden = UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}, render_value=False)
        return forms.CharField(widget=hidden, strip=False, **options)
    initial = None if member.is_required() else member.default
    return forms.CharField(widget=UnfoldAdminTextInputWidget, initial=initial, **options)


def _choices(member: FieldInfo) -> list[tuple[str, str]]:
    """Of an enumeration or of literals."""
    if isinstance(member.annotation, type) and issubclass(member.annotation, Enum):
        return [(str(one.value), str(one.value)) for one in member.annotation]
    literals = [one for one in get_args(member.annotation) if isinstance(one, str)]
    return [(one, one) for one in literals]
