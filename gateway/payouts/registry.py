"""The payout rails: every folder here with a `rail.py`, simulators and providers alike."""

from functools import cache

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from accounts.models import Environment
from gateway import payouts
from gateway.methods.registry import declared
from gateway.payouts.rail import PayoutMarket, PayoutRail


class RailName(TextChoices):
    """The names of the contract (§3)."""

    PIX = "PIX", "PIX"
    SPEI = "SPEI", "SPEI"
    BANK_TRANSFER = "BANK_TRANSFER", _("Bank transfer")
    CRYPTO = "CRYPTO", _("Crypto")


@cache
def rails(environment: Environment) -> dict[tuple[str, str], PayoutRail]:
    """(rail, payout currency) → rail. A folder's `rail.py` declares `RAILS = {environment: [rail, …]}`."""
    return {(rail.rail, market.currency): rail for rail in declared(payouts, environment) for market in rail.markets}


def rail_of(rail: str, currency: str, environment: str) -> PayoutRail | None:
    """A sandbox merchant only ever gets the sandbox simulator. None if no provider is connected."""
    return rails(Environment(environment)).get((rail, currency))


def markets() -> dict[tuple[str, str], PayoutMarket]:
    """(rail, payout currency) → market, of everything offered."""
    return {pair: rail.market(pair[1]) for pair, rail in rails(Environment.SANDBOX).items()}


def by_currency(rail: str, environment: str = Environment.SANDBOX) -> dict[str, PayoutRail]:
    """Payout currency → the rail that validates it: the connected provider's, else the sandbox simulator's."""
    known = rails(Environment.SANDBOX) | rails(Environment(environment))
    return {pair[1]: one for pair, one in known.items() if pair[0] == rail}
