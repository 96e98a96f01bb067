"""Fields for money movements: exact amounts, and single-line texts for banks."""

import unicodedata
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ledger.money import DECIMALS, MAX_AMOUNT
from ledger.notation import TwoReadings, Unreadable, exact, read, typed

_LIMIT = Decimal(10) ** 15


class AmountField(forms.CharField):
    """An amount as people write it and our pages show it, of `currency` if the form has one: a Decimal above zero.

    An ambiguous amount is rejected; the error names both readings and how to write each.
    """

    currency: str | None = None
    default_error_messages = {
        "invalid": _("An amount above zero, like %(example)s."),
        "two_readings": _("%(text)s is ambiguous: it could mean %(most)s or %(least)s. Write %(whole)s or %(exact)s."),
    }

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override]
        try:
            amount = read(str(super().to_python(value)), self.currency)
        except TwoReadings as both:
            raise self._ambiguous(both) from None
        except Unreadable:
            raise self._invalid() from None
        if amount is not None and not 0 < amount < _LIMIT:
            raise self._invalid()
        return amount

    def prepare_value(self, value: Any) -> Any:
        return typed(value) if isinstance(value, Decimal) else value

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "inputmode": "decimal", "autocomplete": "off"}

    def _invalid(self) -> forms.ValidationError:
        params = {"example": typed(Decimal(150))}
        return forms.ValidationError(self.error_messages["invalid"], code="invalid", params=params)

    def _ambiguous(self, both: TwoReadings) -> forms.ValidationError:
        most, least = both.readings
        params = {"text": both.text, "most": exact(most, least=2), "least": exact(least, least=2)}
        params |= {"whole": str(most), "exact": typed(least)}
        return forms.ValidationError(self.error_messages["two_readings"], code="two_readings", params=params)


class ExactAmountField(AmountField):
    """An amount with limited decimals: nothing is rounded. `most` is the maximum."""

    default_error_messages = {
        "decimals": _("At most %(decimals)s decimal places."),
        "large": _("This amount is too large."),
    }

    def __init__(self, *, decimals: int = 2, most: Decimal = MAX_AMOUNT, **options: Any) -> None:
        self.decimals, self.most = decimals, most
        super().__init__(**options)

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override]
        amount = super().to_python(value)
        if amount is None:
            return None
        if amount > self.most:
            raise forms.ValidationError(self.error_messages["large"], code="large")
        if amount != amount.quantize(Decimal(1).scaleb(-self.decimals)):
            message = self.error_messages["decimals"]
            raise forms.ValidationError(message, code="decimals", params={"decimals": self.decimals})
        return amount


def in_currency(form: forms.Form, **currencies: str | None) -> None:
    """Sets the currency of a form's amounts by field; None if unknown."""
    for name, currency in currencies.items():
        field = form.fields[name]
        assert isinstance(field, AmountField)
        field.currency = currency if currency in DECIMALS else None


class LineField(forms.CharField):
    """Text as banks accept it: one line, nothing invisible."""

    default_error_messages = {"invisible": _("No invisible characters.")}

    def to_python(self, value: Any) -> str:
        text = super().to_python(value)
        if any(unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in text or ""):
            raise forms.ValidationError(self.error_messages["invisible"], code="invisible")
        return text or ""


class CodeField(LineField):
    """An account or document number; spaces are ignored."""

    def to_python(self, value: Any) -> str:
        return "".join(super().to_python(value).split())
