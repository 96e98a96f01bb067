"""The payment methods there are: every folder here with a `rail.py`, sandbox double and outside party alike."""

from enum import StrEnum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from accounts.models import Environment
from gateway import methods
from gateway.methods.rail import Rail


class Method(StrEnum):
    """The names of the contract (§3), exact and case-sensitive."""

    PIX = "PIX"
    BOLETO = "BOLETO"
    SPEI = "SPEI"
    BANK_TRANSFER = "BANK_TRANSFER"
    MB_WAY = "MB_WAY"
    CREDIT_CARD = "CREDIT_CARD"
    DEBIT_CARD = "DEBIT_CARD"
    PSE = "PSE"
    NEQUI = "NEQUI"
    BRE_B = "BRE_B"


CARDS = (Method.CREDIT_CARD, Method.DEBIT_CARD)


@cache
def rails() -> dict[str, dict[str, Rail]]:
    """Method → environment → rail. A folder's `rail.py` says `RAILS = {environment: rail}`."""
    found: dict[str, dict[str, Rail]] = {}
    for folder in iter_modules(methods.__path__):
        if folder.ispkg:
            by_environment = import_module(f"{methods.__name__}.{folder.name}.rail").RAILS
            found[next(iter(by_environment.values())).method] = by_environment
    return found


def rail_of(method: str, environment: str) -> Rail | None:
    """A sandbox merchant only ever reaches the sandbox double. None where no party is connected."""
    return rails().get(method, {}).get(Environment(environment))
