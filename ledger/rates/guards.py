"""How far fetched rates are trusted: for each currency against the real, as the settings say."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.conf import settings

EVERY = "ALL"
LONGEST_AGE_S = 300
"""No rate is used for longer (contract §12)."""


@dataclass(frozen=True, slots=True)
class Guards:
    """`age` is how long a rate is used after it was the market's, `jump` how far it may be from the one before, and
    `difference` how far the two sources may be apart, both as a share.
    """

    age: timedelta
    jump: Decimal
    difference: Decimal


def guards_of(currency: str) -> Guards:
    """Those of the currency, or of every currency where it has none of its own."""
    return Guards(
        timedelta(seconds=int(_limit(settings.RATES_MAX_AGE_S, currency, LONGEST_AGE_S))),
        Decimal(_limit(settings.RATES_MAX_JUMP, currency, "0.2")),
        Decimal(_limit(settings.RATES_MAX_DIFFERENCE, currency, "0.02")),
    )


def _limit(limits: dict[str, str], currency: str, otherwise: str | int) -> str | int:
    return limits.get(currency, limits.get(EVERY, otherwise))
