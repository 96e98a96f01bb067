"""The payment methods: every folder here with a `rail.py`, simulators and providers alike."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from accounts.base.errors import MethodRefusal, Refusal
from accounts.models import Environment
from gateway import methods
from gateway.methods.rail import Market, Rail


class Method(TextChoices):
    """The names of the contract (§3), exact and case-sensitive, and their display names."""

    PIX = "PIX", "PIX"
    BOLETO = "BOLETO", "Boleto"
    SPEI = "SPEI", "SPEI"
    BANK_TRANSFER = "BANK_TRANSFER", _("Bank transfer")
    MB_WAY = "MB_WAY", "MB WAY"
    CREDIT_CARD = "CREDIT_CARD", _("Credit card")
    DEBIT_CARD = "DEBIT_CARD", _("Debit card")
    PSE = "PSE", "PSE"
    NEQUI = "NEQUI", "Nequi"
    BRE_B = "BRE_B", "Bre-B"


CARDS = (Method.CREDIT_CARD, Method.DEBIT_CARD)
AS_PAYERS_CHOOSE = (
    Method.PIX, Method.SPEI, Method.MB_WAY, Method.PSE, Method.NEQUI, Method.BRE_B, Method.BANK_TRANSFER, *CARDS,
    Method.BOLETO,
)  # fmt: skip
"""In every market: what its payers use most and is there at once, then cards, then what takes days."""


def declared(package: ModuleType, environment: Environment) -> Iterator[Any]:
    """The rails of every folder of the package that has a `rail.py`."""
    for folder in iter_modules(package.__path__):
        if folder.ispkg:
            yield from import_module(f"{package.__name__}.{folder.name}.rail").RAILS.get(environment, ())


@cache
def rails(environment: Environment) -> dict[tuple[str, str], Rail]:
    """(method, currency) → rail. A folder's `rail.py` says `RAILS = {environment: [rail, …]}`."""
    return {(rail.method, market.currency): rail for rail in declared(methods, environment) for market in rail.markets}


def rail_of(method: str, currency: str, environment: str) -> Rail | None:
    """A sandbox merchant only ever gets the sandbox simulator. None if no provider is connected."""
    return rails(Environment(environment)).get((method, currency))


def markets() -> dict[tuple[str, str], Market]:
    """(method, currency) → market, of everything offered."""
    return {pair: rail.market(pair[1]) for pair, rail in rails(Environment.SANDBOX).items()}


@cache
def by_currency(method: str) -> dict[str, Rail]:
    """Currency → sandbox simulator, which validates requests for the method. Empty for an unknown method."""
    return {pair[1]: rail for pair, rail in rails(Environment.SANDBOX).items() if pair[0] == method}


def codes_of(refusal: type[Refusal]) -> list[str]:
    """Every code that a refusal can return: one, or one for each method."""
    if issubclass(refusal, MethodRefusal):
        return [refusal.code.replace("<METHOD>", method) for method in refusal.methods or Method]
    return [refusal.code]
