"""What is typed about money that shall move: exact amounts, and one line of text for a bank."""

import unicodedata
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from gateway.dashboard.forms import AmountField
from ledger.money import MAX_AMOUNT


class ExactAmountField(AmountField):
    """An amount with at most so many decimals: nothing is ever rounded. `most` is the largest there is."""

    default_error_messages = {
        "decimals": _("At most %(decimals)s decimals."),
        "large": _("Nobody has that much."),
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


class LineField(forms.CharField):
    """Text as banks take it: one line, nothing invisible."""

    default_error_messages = {"invisible": _("No invisible characters.")}

    def to_python(self, value: Any) -> str:
        text = super().to_python(value)
        if any(unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in text or ""):
            raise forms.ValidationError(self.error_messages["invisible"], code="invisible")
        return text or ""


class CodeField(LineField):
    """The number of an account or a document: spaces are how people read it, and no part of it."""

    def to_python(self, value: Any) -> str:
        return "".join(super().to_python(value).split())
