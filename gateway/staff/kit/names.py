"""Names of models, fields and choices, and what pages and forms declare, in the reader's language.

Django and the staff pages derive most of them from the code, where no text is marked: `makemessages` collects `NAMES`
instead. What functions return is marked there as everywhere.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.core.exceptions import ImproperlyConfigured
from django.db.models import BinaryField, Choices, Model
from django.forms.utils import pretty_name
from django.utils import translation
from django.utils.functional import Promise

from accounts.staff_roles import WORDS, sentence
from gateway.providers.credentials import title_of
from gateway.providers.provider import Provider
from gateway.providers.registry import declared

NAMES: set[str] = set()
"""Every name that the pages can show, in English."""
STAFF = "gateway.staff."
_CODE = re.compile(r"[^a-z]*|[a-z_]+\.[a-z_]+")
"""BRL, payment.paid: the same everywhere."""
OUR_APPS = frozenset({"accounts", "gateway", "ledger", "webhooks"})


def translated(name: str | Promise) -> Any:
    """The name, translated whenever it is shown; a text that is translated already stays.

    For what is declared when the programme starts: a name that is made later is in no catalogue, and refused.
    """
    if isinstance(name, Promise) or _CODE.fullmatch(name):
        return name
    if apps.ready and name not in NAMES:
        raise ImproperlyConfigured(f"{name!r} is not declared when the programme starts")
    NAMES.add(name)
    return translation.gettext_lazy(name)


def collect(texts: Iterable[str | Promise]) -> None:
    """Has texts of a package translated that it does not translate itself, or not into all our languages."""
    NAMES.update(map(str, texts))


def label_of(choice: Choices) -> str:
    """The label of a choice of a model's field."""
    return translation.gettext(str(choice.label))


def translate_declared() -> None:
    """Has the texts of all models, pages and forms of staff translated. Called once, when all pages are registered."""
    for model, page in admin.site._registry.items():
        if model._meta.app_label in OUR_APPS:
            _translate_model(model)
        _translate_page(page)
    for form in _subclasses(forms.BaseForm):
        if form.__module__.startswith(STAFF):
            _translate_form(form)
    for title in _subclasses(admin.ListFilter):
        if title.__module__.startswith(STAFF) and title.title:
            title.title = translated(title.title)
    for provider in declared().values():
        _collect(provider)


def _collect(provider: type[Provider[Any]]) -> None:
    """Its name, and those of its credentials, which are translated where they are shown."""
    members = provider.credentials_type.model_fields.items()
    for name in (provider.title, *(title_of(name, member) for name, member in members)):
        translated(name)
    for _name, member in members:
        translated(member.description or "")


def _translate_page(page: Any) -> None:
    page.search_help_text = page.search_help_text and translated(page.search_help_text)
    for name in ("fieldsets", "add_fieldsets"):
        declared = getattr(page, name, None)
        if declared:
            setattr(page, name, [(title and translated(title), options) for title, options in declared])
    for name in dir(type(page)):
        member = getattr(type(page), name)
        if callable(member) and hasattr(member, "short_description") and member.__module__.startswith(STAFF):
            member.short_description = translated(member.short_description)


def _translate_form(form: Any) -> None:
    for name, field in form.base_fields.items():
        field.label = translated(pretty_name(name) if field.label is None else field.label)
        field.help_text = translated(field.help_text)
        if isinstance(field, forms.ChoiceField) and isinstance(field.choices, list):
            field.choices = [(value, translated(label)) for value, label in field.choices]


def _subclasses(of: type[Any]) -> set[type[Any]]:
    return {one for child in of.__subclasses__() for one in (child, *_subclasses(child))}


def _translate_model(model: type[Model]) -> None:
    model._meta.verbose_name = translated(str(model._meta.verbose_name))
    own = {f"{model._meta.app_label}.{codename}": name for codename, name in model._meta.permissions}
    collect(sentence(str(name)) for codename, name in own.items() if codename not in WORDS)
    model._meta.verbose_name_plural = translated(str(model._meta.verbose_name_plural))
    for field in _fields(model):
        field.verbose_name = translated(field.verbose_name)
        field.help_text = translated(field.help_text)
        if isinstance(field.choices, list):
            field.choices = [(value, translated(label)) for value, label in field.choices]


def _fields(model: type[Model]) -> Iterator[Any]:
    fields = (*model._meta.concrete_fields, *model._meta.many_to_many)
    return (field for field in fields if not isinstance(field, BinaryField))
