"""The institutions: every folder here with a `provider.py`, and the modules that `PROVIDER_MODULES` adds."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from django.conf import settings

from gateway import providers
from gateway.providers.provider import Provider


@cache
def _declared(added: tuple[str, ...]) -> dict[str, type[Provider[Any]]]:
    own = [f"{providers.__name__}.{one.name}.provider" for one in iter_modules(providers.__path__) if one.ispkg]
    found: list[type[Provider[Any]]] = [import_module(module).PROVIDER for module in (*own, *added)]
    named = {provider.name: provider for provider in found}
    assert len(named) == len(found), "two providers have the same name"
    return named


def declared() -> dict[str, type[Provider[Any]]]:
    """Name → provider."""
    return _declared(tuple(settings.PROVIDER_MODULES))
