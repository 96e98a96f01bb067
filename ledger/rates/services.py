"""The rate between two currencies, and where rates come from."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import structlog
from django.db import connection, transaction

from accounts.clock import wall
from accounts.models import Environment, Merchant, User
from ledger.money import DECIMALS
from ledger.rates.models import BASE, Rate
from ledger.rates.table import SANDBOX

log = structlog.get_logger()

YOUNG_FOR = timedelta(minutes=5)
"""How long a fetched rate is the market's (contract §12)."""
KEPT_FOR = timedelta(days=30)
FARTHEST_JUMP = Decimal("0.2")
"""A fetched rate that is farther than this from the one before is a mistake until staff say otherwise."""
LARGEST = Decimal(10) ** 10
"""No currency is worth so many units of another, and no column holds it."""
_TEN_DECIMALS = Decimal(1).scaleb(-10)
_KEPT_DECIMALS = Decimal(1).scaleb(-15)

# What staff say goes before what was fetched, as long as it holds.
_NEWEST = """
    SELECT DISTINCT ON (currency) currency, per_real FROM ledger_rate
     WHERE currency = ANY(%(wanted)s) AND withdrawn_at IS NULL AND quoted_at <= %(now)s
       AND (holds_until > %(now)s OR NOT %(must_hold)s)
     ORDER BY currency, (holds_until > %(now)s) DESC, (source = 'STAFF' AND holds_until > %(now)s) DESC,
              quoted_at DESC, id DESC
"""


class NoRate(Exception):
    """There is no rate between the two currencies that holds now."""


def market_rate(merchant: Merchant, source: str, destination: str, *, must_hold: bool = True) -> Decimal:
    """What one unit of the source is worth in the destination: at most ten decimals, rounded down.

    Rounded down, because then a way there and back never gains. Where it need not hold, the last known one will do.
    Raises NoRate.
    """
    if source == destination:
        return Decimal(1)
    worth = SANDBOX if merchant.environment == Environment.SANDBOX else _worth({source, destination}, must_hold)
    if not {source, destination} <= worth.keys():
        raise NoRate
    exact = worth[destination] / worth[source]
    if not _TEN_DECIMALS <= exact < LARGEST:
        raise NoRate
    return exact.quantize(_TEN_DECIMALS, ROUND_DOWN)


def applied_rate(market: Decimal, spread_percentage: Decimal) -> Decimal:
    """The market's rate less the spread, halves rounded up to ten decimals (contract §12)."""
    return (market * (100 - spread_percentage) / 100).quantize(_TEN_DECIMALS, ROUND_HALF_UP)


def _worth(wanted: set[str], must_hold: bool) -> dict[str, Decimal]:
    """What one real is worth in each of them, as far as that is known."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, {"wanted": sorted(wanted - {BASE}), "now": wall(), "must_hold": must_hold})
        return {BASE: Decimal(1), **dict(cursor.fetchall())}


def enter(currency: str, per_real: Decimal, holds_for: timedelta, by: User, note: str = "") -> Rate:
    """What staff say that one real is worth, for some time; it goes before what is fetched."""
    now = wall()
    return Rate.objects.create(
        currency=currency,
        per_real=per_real,
        source=Rate.Source.STAFF,
        quoted_at=now,
        holds_until=now + holds_for,
        entered_by=by,
        note=note,
        created_at=now,
    )


def withdraw(rate: Rate) -> bool:
    """Ends a rate that staff entered; False where it had ended before."""
    now = wall()
    holding = Rate.objects.filter(pk=rate.pk, source=Rate.Source.STAFF, withdrawn_at=None, holds_until__gt=now)
    return bool(holding.update(holds_until=now, withdrawn_at=now))


@transaction.atomic
def record(quotes: Mapping[str, Decimal], quoted_at: datetime) -> list[Rate]:
    """Writes down what was fetched: units of each currency for one unit of any one base; unknown ones are ignored.

    They hold for five minutes from `quoted_at`. One that jumped by more than a fifth since the last, or that nobody
    could mean, is said loudly and left out. Raises ValueError where the real is missing.
    """
    base = quotes.get(BASE)
    if not base or base <= 0:
        raise ValueError(f"the rates do not tell what {BASE} is worth")
    now = wall()
    known = [code for code in DECIMALS if code != BASE and quotes.get(code, Decimal(0)) > 0]
    before = _worth(set(known), must_hold=False)
    rows = []
    for code in known:
        per_real = quotes[code] / base
        if not _is_plausible(per_real, before.get(code)):
            log.critical("rates.implausible", currency=code, before=str(before.get(code)), now=f"{per_real:.6e}")
            continue
        rows.append(
            Rate(
                currency=code,
                per_real=per_real.quantize(_KEPT_DECIMALS),
                source=Rate.Source.FETCHED,
                quoted_at=quoted_at,
                holds_until=quoted_at + YOUNG_FOR,
                created_at=now,
            )
        )
    return Rate.objects.bulk_create(rows)


def _is_plausible(per_real: Decimal, before: Decimal | None) -> bool:
    if not _TEN_DECIMALS <= per_real < LARGEST:
        return False
    return before is None or abs(per_real / before - 1) <= FARTHEST_JUMP


def forget_old() -> int:
    """Deletes fetched rates past their use; those of staff stay. What was converted keeps its own rate."""
    old = Rate.objects.filter(source=Rate.Source.FETCHED, created_at__lt=wall() - KEPT_FOR)
    newest = Rate.objects.order_by("currency", "-quoted_at").distinct("currency").values("pk")
    deleted, _ = old.exclude(pk__in=newest).delete()
    return deleted
