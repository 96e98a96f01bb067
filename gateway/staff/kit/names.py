"""Names of models, fields, choices and columns in the reader's language.

Django and the staff pages derive them from the code, where no text is marked: `makemessages` collects `NAMES` instead.
"""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import BinaryField, Model
from django.utils import translation
from django.utils.functional import Promise

NAMES: set[str] = set()
"""Every name that the pages can show, in English."""
OUR_APPS = frozenset({"accounts", "gateway", "ledger", "webhooks"})


def translated(name: str | Promise) -> Any:
    """The name, translated whenever it is shown; a text that is translated already stays."""
    if isinstance(name, Promise) or not any(letter.islower() for letter in name):
        return name  # PIX, BRL: the same everywhere
    NAMES.add(name)
    return translation.gettext_lazy(name)


def translate_models() -> None:
    """Has the names of all models with a page of staff translated. Called once, when all pages are registered."""
    for model in admin.site._registry:
        if model._meta.app_label in OUR_APPS:
            _translate(model)


def _translate(model: type[Model]) -> None:
    model._meta.verbose_name = translated(str(model._meta.verbose_name))
    model._meta.verbose_name_plural = translated(str(model._meta.verbose_name_plural))
    for field in _fields(model):
        field.verbose_name = translated(field.verbose_name)
        field.help_text = translated(field.help_text)
        if isinstance(field.choices, list):
            field.choices = [(value, translated(label)) for value, label in field.choices]


def _fields(model: type[Model]) -> Iterator[Any]:
    fields = (*model._meta.concrete_fields, *model._meta.many_to_many)
    return (field for field in fields if not isinstance(field, BinaryField))
