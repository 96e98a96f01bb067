"""The order of currencies in forms: as everywhere, by what the company sells in them."""

from typing import Any

from django import forms

from accounts.models import Merchant
from gateway.sales.currencies import in_order


def put_in_order(merchant: Merchant, form: forms.Form, *names: str) -> None:
    """Sorts the choices of fields with currencies; the one for all of them stays first."""
    for name in names:
        field = form.fields[name]
        assert isinstance(field, forms.ChoiceField)
        titles: dict[str, Any] = dict(field.choices)  # type: ignore[arg-type]
        every = [(code, title) for code, title in titles.items() if not code]
        field.choices = [*every, *((code, titles[code]) for code in in_order(merchant, filter(None, titles)))]
