"""Staff actions in words: what is reviewed before confirming one that waited for the second factor."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import display_for_value, label_for_field, lookup_field
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import strip_tags
from django.utils.text import capfirst

from accounts.step_up import LEFT_OUT, Action
from gateway.staff.kit.columns import EMPTY

Facts = list[tuple[str, str]]
TECHNICAL = (*LEFT_OUT, "action", "post", "select_across", "index", "digest")


def in_words(
    page: "ModelAdmin[Any]",
    request: HttpRequest,
    title: str | Promise,
    record: Model | None = None,
    form: Any = None,
    more: Iterable[tuple[str, Any]] = (),
) -> Action:
    """The record as in its list, `more`, and the form's changes; without a record the submitted values."""
    about = [(capfirst(str(type(record)._meta.verbose_name)), str(record)), *_columns(page, record)] if record else []
    values = [(name, str(value)) for name, value in more]
    return Action(str(title), (*about, *values, *(_changes(form) if form else _filled_in(request))))


def _columns(page: "ModelAdmin[Any]", record: Model) -> Facts:
    """Values as stored in the database, not as a form has set them on the instance."""
    stored = type(record)._base_manager.get(pk=record.pk)
    facts = []
    for column in page.list_display:
        try:
            _field, _attribute, value = lookup_field(column, stored, page)
        except (AttributeError, FieldDoesNotExist):
            continue
        name = label_for_field(column, type(record), page)
        facts.append((capfirst(str(name)), strip_tags(str(display_for_value(value, EMPTY)))))
    return facts


def _changes(form: forms.Form) -> Facts:
    return [
        (str(form.fields[name].label or name), _shown(form.fields[name], form[name].data)) for name in form.changed_data
    ]


def _shown(field: forms.Field, value: Any) -> str:
    names = {str(key): str(name) for key, name in getattr(field, "choices", ())}
    values = value if isinstance(value, list | tuple) else [value]
    return ", ".join(names.get(str(one), str(one)) for one in values) or EMPTY


def _filled_in(request: HttpRequest) -> Facts:
    sent = ((name, values) for name, values in request.POST.lists() if name not in TECHNICAL and any(values))
    return [(name.strip("_").replace("_", " ").capitalize(), ", ".join(values)) for name, values in sent]
