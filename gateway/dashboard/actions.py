"""Sensitive actions in words: what a person reads before they confirm one that waited for the second factor."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.step_up import Action
from gateway.dashboard.access import Describe, Here

Facts = list[tuple[str | Promise, Any]]
LONGEST = 300


def action(title: Promise, form: type[forms.Form] | None = None, about: Callable[..., Facts] | None = None) -> Describe:
    """Describes a request to a page: its title, where, what `about(here, **arguments)` tells, and the form's fields."""

    def describe(here: Here, **arguments: Any) -> Action:
        facts: Facts = [
            (_("Company"), here.company.trade_name),
            (_("Environment"), _("Sandbox") if here.is_sandbox else _("Production")),
            *(about(here, **arguments) if about else ()),
            *(filled_in(form, here.request.POST) if form else ()),
        ]
        return Action(str(title), tuple((str(name), str(value)[:LONGEST]) for name, value in facts))

    return describe


def filled_in(form: type[forms.Form], sent: QueryDict) -> Facts:
    """What a person filled in, as the form names it."""
    visible = {
        name: field for name, field in form.base_fields.items() if not isinstance(field.widget, forms.HiddenInput)
    }
    return [
        (field.label or name, ", ".join(_said(field, value) for value in sent.getlist(name)))
        for name, field in visible.items()
        if any(sent.getlist(name))
    ]


def _said(field: forms.Field, value: str) -> str:
    if isinstance(field, forms.BooleanField):
        return _("Yes")
    return str(dict(getattr(field, "choices", ())).get(value, value))
