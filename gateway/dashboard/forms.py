"""Shared by the dashboard's forms: appearance, single execution, and refusals of services."""

import uuid
from typing import Any

from django import forms
from django.db import IntegrityError, transaction

from accounts.base.errors import Refusal
from accounts.base.text import visible
from accounts.models import Merchant
from gateway.dashboard.refusals import in_words
from gateway.requests.models import IdempotencyKey

_CLASSES: tuple[tuple[type[forms.Widget], str], ...] = (
    (forms.CheckboxSelectMultiple, "form-check-input"),
    (forms.RadioSelect, "form-check-input"),
    (forms.CheckboxInput, "form-check-input"),
    (forms.Select, "form-select"),
    (forms.Widget, "form-control"),
)


class SentAlready(Exception):
    """The form was already carried out. `back` is where to redirect; None: to the page of the form."""

    back: str | None = None


def _require_visible(form: forms.Form) -> None:
    """What people enter has no characters that nobody sees."""
    for field in form.fields.values():
        if isinstance(field, forms.CharField):
            field.validators.append(visible)


def style(form: forms.Form) -> None:
    """Sets the widgets' appearance by field type."""
    for field in form.fields.values():
        looks = next(name for kind, name in _CLASSES if isinstance(field.widget, kind))
        if looks:
            field.widget.attrs.setdefault("class", looks)


class DashboardForm(forms.Form):
    """A form in the dashboard's look. `refuse` shows a service's refusal at its field."""

    required_css_class = "required"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        style(self)
        _require_visible(self)

    def full_clean(self) -> None:
        super().full_clean()
        for name in self.errors:
            if name in self.fields:
                widget = self.fields[name].widget
                widget.attrs["class"] = f"{widget.attrs.get('class', '')} is-invalid".strip()

    def refuse(self, refusal: Refusal, **fields: str) -> None:
        """Adds the refusal at the field that `fields` maps from its member, else above the form."""
        member = (refusal.field or "").rsplit(".", 1)[-1]
        name = fields.get(member, member)
        self.add_error(name if name in self.fields else None, in_words(refusal))


class OnceForm(DashboardForm):
    """A form that is carried out only once, however often it is sent: a double click, a reload, a second tab."""

    once = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def claim(self, merchant: Merchant, path: str, request_id: str) -> None:
        """Call first in the transaction that carries it out. Raises SentAlready."""
        try:
            with transaction.atomic():
                IdempotencyKey.objects.create(
                    merchant=merchant,
                    key=self.cleaned_data["once"],
                    fingerprint=b"",
                    method="FORM",
                    path=path[:255],
                    status=204,
                    sealed_body=b"",
                    request_id=request_id,
                )
        except IntegrityError as error:
            raise SentAlready from error
