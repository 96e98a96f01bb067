"""What the page of a link asks the payer for: what the method needs, and no more unless the company wants it."""

import uuid
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.base import clock
from accounts.base.errors import Refusal
from gateway.methods.registry import Method
from gateway.methods.selectors import required_fields
from gateway.payment_links.models import PaymentLink
from gateway.payments.payable import Payable
from ledger.money import MAX_AMOUNT, to_decimal
from ledger.notation import Unreadable, read

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
BOLETO_DUE_IN = timedelta(days=3)
DOCUMENTS = {
    "BRL": _("CPF or CNPJ"),
    "MXN": _("RFC or CURP"),
    "ARS": _("CUIT or CUIL"),
    "COP": _("Document number"),
    "EUR": _("NIF"),
}
COLOMBIAN = (
    ("CC", _("Citizenship card (CC)")),
    ("CE", _("Foreigner's card (CE)")),
    ("NIT", "NIT"),
    ("TI", _("Identity card (TI)")),
    ("PPT", "PPT"),
    ("PASSPORT", _("Passport")),
)
FIELDS: dict[str, tuple[Any, str]] = {
    "payer.name": (_("Full name"), "name"),
    "payer.taxIdType": (_("Document type"), "off"),
    "payer.taxId": (_("Document number"), "off"),
    "payer.email": (_("Your e-mail"), "email"),
    "payer.phone": (_("Your phone, with the country code"), "tel"),
    "payer.address.postalCode": (_("Postal code"), "postal-code"),
    "payer.address.street": (_("Street"), "address-line1"),
    "payer.address.number": (pgettext_lazy("address", "Number"), "off"),
    "payer.address.district": (_("District"), "address-level3"),
    "payer.address.city": (_("City"), "address-level2"),
    "payer.address.state": (pgettext_lazy("address", "State"), "address-level1"),
}
"""By path in an order, in the order of the form: the label, and what browsers fill in."""
_TYPES = {"payer.email": "email", "payer.phone": "tel"}


class AmountField(forms.CharField):
    """An amount as people write it in the currency of the link."""

    def __init__(self, currency: str, **options: Any) -> None:
        self.currency = currency
        super().__init__(widget=forms.TextInput({"inputmode": "decimal", "autocomplete": "off"}), **options)

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override]
        try:
            amount = read(str(super().to_python(value)), self.currency)
        except Unreadable:
            raise forms.ValidationError(_("Write the amount like 150.00."), code="invalid") from None
        if amount is not None and amount > MAX_AMOUNT:
            raise forms.ValidationError(_("This amount is too large."), code="large")
        if amount is not None and amount != amount.quantize(Decimal("0.01")):
            raise forms.ValidationError(_("At most two decimal places."), code="decimals")
        return amount


class PayerForm(forms.Form):
    """One method's fields. `once` makes two clicks one payment."""

    once = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
    method = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, link: PaymentLink, way: Payable, data: Any = None) -> None:
        super().__init__(data, auto_id="%s", initial={"method": way.method}, label_suffix="")
        self.link, self.way = link, way
        if not link.is_fixed:
            self.fields["amount"] = AmountField(link.currency, label=_("Amount"))
        self.asked = asked(link, way)
        for path in self.asked:
            self.fields[_name(path)] = _field(path, link.currency)
        if data is not None:
            for name in self.errors:
                self.mark(name)

    def mark(self, name: str) -> None:
        """Says at the field that it is wrong."""
        self.fields[name].widget.attrs |= {"aria-invalid": "true", "aria-describedby": f"{name}-error"}

    def order(self, return_url: str) -> dict[str, Any]:
        """The body of a request for the payment; the reference is that of the link."""
        given = self.cleaned_data
        fixed = to_decimal(self.link.least, self.link.currency)
        body: dict[str, Any] = {
            "method": self.way.method,
            "currency": self.link.currency,
            "amount": fixed if self.link.is_fixed else given["amount"],
            "reference": "-",
            "payer": {},
            "returnUrl": return_url,
        }
        if self.way.method == Method.BOLETO:
            today = clock.now(self.link.merchant).astimezone(SAO_PAULO).date()
            body["dueDate"] = (today + BOLETO_DUE_IN).isoformat()
        for path in self.asked:
            *folders, name = path.split(".")
            place = body
            for folder in folders:
                place = place.setdefault(folder, {})
            place[name] = given[_name(path)]
        return body

    def refuse(self, refusal: Refusal) -> None:
        """Says what is wrong where it is wrong."""
        names = {_name(fault.field) for fault in refusal.faults} or {_name(refusal.field or "")}
        known = names & set(self.fields)
        for name in known:
            self.add_error(name, _("Check this value."))
            self.mark(name)
        if not known:
            self.add_error(None, _("The payment could not be started like this. Choose another way to pay."))


def asked(link: PaymentLink, way: Payable) -> list[str]:
    """The paths of an order that the payer fills in."""
    required = set(required_fields(way.rail, link.currency, _now(link)))
    if link.collects_contact:
        required |= {"payer.email", "payer.phone"}
    if "payer.taxId" in required and link.currency == "COP":
        required.add("payer.taxIdType")
    return [path for path in FIELDS if path in required]


def _now(link: PaymentLink) -> datetime:
    return clock.now(link.merchant)


def _name(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _field(path: str, currency: str) -> forms.Field:
    label, filled = FIELDS[path]
    if path == "payer.taxIdType":
        return forms.ChoiceField(label=label, choices=COLOMBIAN)
    if path == "payer.taxId":
        label = DOCUMENTS.get(currency, label)
    widget = forms.TextInput({"type": _TYPES.get(path, "text"), "autocomplete": filled})
    return forms.CharField(label=label, max_length=120, widget=widget)
