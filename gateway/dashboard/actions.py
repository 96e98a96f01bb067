"""Sensitive actions in words: what a person reviews before confirming one that waited for the second factor."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.step_up import Action
from gateway.dashboard.access import Describe
from gateway.dashboard.amounts import AmountField
from gateway.dashboard.context import RequestContext
from ledger.notation import Unreadable, read, written

Facts = list[tuple[str | Promise, Any]]
LONGEST = 300


def action(title: Promise, form: type[forms.Form] | None = None, about: Callable[..., Facts] | None = None) -> Describe:
    """Describes a request to a page: title, place, the facts of `about(here, **arguments)`, and the form's fields."""

    def describe(here: RequestContext, **arguments: Any) -> Action:
        facts: Facts = [
            (_("Company"), here.company.trade_name),
            (_("Environment"), _("Sandbox") if here.is_sandbox else _("Production")),
            *(about(here, **arguments) if about else ()),
            *(filled_in(form, here.request.POST) if form else ()),
        ]
        return Action(str(title), tuple((str(name), str(value)[:LONGEST]) for name, value in facts))

    return describe


def filled_in(form: type[forms.Form], sent: QueryDict, currency: str = "") -> Facts:
    """The submitted values by label; amounts as pages write those of `currency`, if it is known."""
    visible = {
        name: field for name, field in form.base_fields.items() if not isinstance(field.widget, forms.HiddenInput)
    }
    return [
        (field.label or name, ", ".join(_shown(field, value, currency) for value in sent.getlist(name)))
        for name, field in visible.items()
        if any(sent.getlist(name))
    ]


def _shown(field: forms.Field, value: str, currency: str) -> str:
    if isinstance(field, forms.BooleanField):
        return _("Yes")
    if isinstance(field, AmountField) and currency:
        return _amount(value, currency)
    return str(dict(getattr(field, "choices", ())).get(value, value))


def _amount(text: str, currency: str) -> str:
    """An invalid amount is shown as typed: the form will reject it."""
    try:
        amount = read(text, currency)
    except Unreadable:
        return text
    return text if amount is None else written(amount, currency, coded=True)
