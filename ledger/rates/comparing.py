"""What two sources say, held against each other: nothing is used that they disagree about."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import structlog

from accounts.base.clock import utcnow
from ledger.money import DECIMALS
from ledger.rates.guards import guards_of
from ledger.rates.models import BASE, Rate
from ledger.rates.provider import Quotes

log = structlog.get_logger()

LARGEST = Decimal(10) ** 10
SMALLEST = Decimal(1).scaleb(-10)
"""No rate is as large or as small as these, and no column could store it."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What one real was worth in a currency, by whom, and when."""

    currency: str
    per_real: Decimal
    quoted_at: datetime
    seen_by: Rate.Seen


def observed(quotes: Quotes, seen_by: Rate.Seen) -> dict[str, Observed]:
    """Rates of our currencies; impossible ones are logged and left out. Raises ValueError if the real is missing."""
    base = quotes.rates.get(BASE)
    if not base or base <= 0:
        raise ValueError(f"the rates do not tell what {BASE} is worth")
    found = {}
    for code in DECIMALS:
        units = quotes.rates.get(code, Decimal(0))
        if code == BASE or units <= 0:
            continue
        per_real = ratio(units, base)
        if per_real is None:
            log.critical("rates.implausible", currency=code, before=[])
        else:
            found[code] = Observed(code, per_real, quotes.quoted_at, seen_by)
    return found


def agreed(first: Mapping[str, Observed], second: Mapping[str, Observed]) -> list[Observed]:
    """The first source's rate where the second agrees; the only one where the other has none that is young enough.

    Rates that are further apart than the guard allows are logged and left out: nothing says which is right.
    """
    fresh = [{code: one for code, one in side.items() if _is_young(one)} for side in (first, second)]
    return [found for code in DECIMALS if (found := _of_two(*(side.get(code) for side in fresh)))]


def ratio(one: Decimal, other: Decimal) -> Decimal | None:
    """None if no column can store it."""
    try:
        found = one / other
    except ArithmeticError:
        return None
    return found if SMALLEST <= found < LARGEST else None


def _of_two(first: Observed | None, second: Observed | None) -> Observed | None:
    if first is None or second is None:
        return first or second
    if abs(second.per_real / first.per_real - 1) > guards_of(first.currency).difference:
        log.critical(
            "rates.disagree", currency=first.currency, first=f"{first.per_real:.6e}", second=f"{second.per_real:.6e}"
        )
        return None
    quoted_at = min(first.quoted_at, second.quoted_at)
    return Observed(first.currency, first.per_real, quoted_at, Rate.Seen.BOTH)


def _is_young(one: Observed) -> bool:
    if utcnow() - one.quoted_at < guards_of(one.currency).age:
        return True
    log.error("rates.old", currency=one.currency, source=one.seen_by.lower(), quoted_at=one.quoted_at.isoformat())
    return False
