"""Rates between two currencies, and their sources."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import structlog
from django.db import connection, transaction
from django.db.models import F, Max
from django.db.models.functions import Least, TruncDate

from accounts.base.clock import utcnow
from accounts.base.rows import table
from accounts.models import Environment, Merchant, User
from ledger.money import DECIMALS
from ledger.rates.comparing import Observed, observed, ratio
from ledger.rates.errors import RateBeyondGuard
from ledger.rates.guards import guards_of
from ledger.rates.models import BASE, Rate
from ledger.rates.provider import Quotes
from ledger.rates.table import SANDBOX

log = structlog.get_logger()

KEPT_FOR = timedelta(days=30)
FARTHEST_JUMP = Decimal("0.2")
"""A rate of staff that differs by more than this from the known ones is far."""
ENTERED_LATELY = timedelta(days=1)
_TEN_DECIMALS = Decimal(1).scaleb(-10)
_KEPT_DECIMALS = Decimal(1).scaleb(-15)

# A rate entered by staff takes precedence over fetched ones while it is valid; of several, the one entered last.
_WORTH = f"""
    SELECT wanted.currency, coalesce(staff.per_real, newest.per_real)
      FROM unnest(%(wanted)s::varchar[]) wanted(currency)
      LEFT JOIN LATERAL (
        SELECT per_real FROM {table(Rate)}
         WHERE currency = wanted.currency AND source = '{Rate.Source.STAFF}' AND holds_until > %(now)s
           AND withdrawn_at IS NULL ORDER BY quoted_at DESC, id DESC LIMIT 1) staff ON %(with_staff)s
      LEFT JOIN LATERAL (
        SELECT per_real FROM {table(Rate)} WHERE currency = wanted.currency AND quoted_at <= %(now)s
           AND (source = '{Rate.Source.FETCHED}' OR %(with_staff)s) AND withdrawn_at IS NULL
           AND (holds_until > %(now)s OR NOT %(must_hold)s) ORDER BY quoted_at DESC, id DESC LIMIT 1) newest ON true
     WHERE coalesce(staff.per_real, newest.per_real) IS NOT NULL
"""
_WORTH_THEN = f"""
    SELECT currency, moment, coalesce(
           (SELECT per_real FROM {table(Rate)} WHERE currency = wanted.currency AND quoted_at < moment
               AND withdrawn_at IS NULL ORDER BY quoted_at DESC, id DESC LIMIT 1),
           (SELECT per_real FROM {table(Rate)} WHERE currency = wanted.currency AND withdrawn_at IS NULL
             ORDER BY quoted_at, id LIMIT 1))
      FROM unnest(%(wanted)s::varchar[]) wanted(currency), unnest(%(moments)s::timestamptz[]) moment
"""


class NoRate(Exception):
    """Raised if there is no valid rate between the two currencies."""


def market_rate(merchant: Merchant, source: str, destination: str, *, must_hold: bool = True) -> Decimal:
    """The units of the destination for one unit of the source: at most ten decimals, rounded down.

    Rounded down so that converting there and back never gains. With `must_hold` False the last known rate is used.
    Raises NoRate.
    """
    if source == destination:
        return Decimal(1)
    worth = (
        SANDBOX
        if merchant.environment == Environment.SANDBOX
        else _per_real({source, destination}, must_hold=must_hold)
    )
    if not {source, destination} <= worth.keys():
        raise NoRate
    exact = ratio(worth[destination], worth[source])
    if exact is None:
        raise NoRate
    return exact.quantize(_TEN_DECIMALS, ROUND_DOWN)


def worth(merchant: Merchant, currencies: set[str]) -> dict[str, Decimal]:
    """The last known value of one real in each of these currencies; those without any are left out."""
    if merchant.environment == Environment.SANDBOX:
        return {code: SANDBOX[code] for code in currencies if code in SANDBOX}
    return _per_real(currencies, must_hold=False)


def worth_then(
    merchant: Merchant, currencies: set[str], moments: list[datetime]
) -> dict[tuple[str, datetime], Decimal]:
    """The last value of one real in each currency before each moment, else the first one known."""
    if merchant.environment == Environment.SANDBOX:
        return {(code, then): SANDBOX[code] for code in currencies & SANDBOX.keys() for then in moments}
    with connection.cursor() as cursor:
        cursor.execute(_WORTH_THEN, {"wanted": sorted(currencies - {BASE}), "moments": moments})
        found = {(code, then): per_real for code, then, per_real in cursor.fetchall() if per_real}
    return found | {(BASE, then): Decimal(1) for then in moments}


def applied_rate(market: Decimal, spread_percentage: Decimal) -> Decimal:
    """The market rate less the spread, halves rounded up to ten decimals (contract §12)."""
    return (market * (100 - spread_percentage) / 100).quantize(_TEN_DECIMALS, ROUND_HALF_UP)


def _per_real(wanted: set[str], *, must_hold: bool, with_staff: bool = True) -> dict[str, Decimal]:
    """The value of one real in each of them, as far as known."""
    with connection.cursor() as cursor:
        cursor.execute(
            _WORTH,
            {"wanted": sorted(wanted - {BASE}), "now": utcnow(), "must_hold": must_hold, "with_staff": with_staff},
        )
        return {BASE: Decimal(1), **dict(cursor.fetchall())}


@transaction.atomic
def enter(
    currency: str, per_real: Decimal, holds_for: timedelta, by: User, note: str = "", *, confirmed: bool = False
) -> Rate:
    """Stores a rate entered by staff for some time; it takes precedence over fetched ones.

    Raises ONP409_RATE_GUARD unless a second person has `confirmed` it.
    """
    if not confirmed:
        raise RateBeyondGuard
    now = utcnow()
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


def is_far(currency: str, per_real: Decimal) -> bool:
    """Whether it differs by more than a fifth from the newest fetched rate, or from one that staff entered within a
    day, so that small steps cannot add up. Without any of those it is compared with the last known rate.
    """
    known = compared_with(currency)
    return not known or any(abs(per_real / rate.per_real - 1) > FARTHEST_JUMP for rate in known)


def compared_with(currency: str) -> list[Rate]:
    """The rates that an entered rate is compared with."""
    rates = Rate.objects.filter(currency=currency, withdrawn_at=None).order_by("-quoted_at", "-pk")
    fetched = list(rates.filter(source=Rate.Source.FETCHED)[:1])
    lately = list(rates.filter(source=Rate.Source.STAFF, created_at__gt=utcnow() - ENTERED_LATELY))
    return fetched + lately or list(rates[:1])


def withdraw(rate: Rate) -> bool:
    """Withdraws a rate that staff entered, valid or expired; returns False if it was already withdrawn."""
    now = utcnow()
    mistaken = Rate.objects.filter(pk=rate.pk, source=Rate.Source.STAFF, withdrawn_at=None)
    return bool(mistaken.update(holds_until=Least(F("holds_until"), now), withdrawn_at=now))


def was_withdrawn_since(currencies: set[str], moment: datetime) -> bool:
    """Whether a rate of one of these currencies was withdrawn since then: quotes based on it are invalid."""
    return Rate.objects.filter(currency__in=currencies, withdrawn_at__gte=moment).exists()


def record(quotes: Mapping[str, Decimal], quoted_at: datetime) -> list[Rate]:
    """Stores what the first source alone says: units of each currency for one unit of any base.

    Unknown currencies are ignored. Raises ValueError if the real is missing.
    """
    return store(observed(Quotes(quotes, quoted_at), Rate.Seen.FIRST).values())


@transaction.atomic
def store(seen: Iterable[Observed]) -> list[Rate]:
    """Stores fetched rates, which are valid from when they were the market's for as long as their guard says.

    A rate that jumped by more than its guard allows is logged and skipped.
    """
    fetched = {one.currency: one for one in seen}
    now = utcnow()
    before = [
        _per_real(set(fetched), must_hold=False, with_staff=False),
        _per_real(set(fetched), must_hold=True),
    ]
    rows = []
    for code, one in fetched.items():
        lately = [worth[code] for worth in before if code in worth]
        if not _is_plausible(one, lately):
            log.critical("rates.implausible", currency=code, before=[f"{worth:.6e}" for worth in lately])
            continue
        rows.append(
            Rate(
                currency=code,
                per_real=one.per_real.quantize(_KEPT_DECIMALS),
                source=Rate.Source.FETCHED,
                seen_by=one.seen_by,
                quoted_at=one.quoted_at,
                holds_until=one.quoted_at + guards_of(code).age,
                created_at=now,
            )
        )
    return Rate.objects.bulk_create(rows)


def _is_plausible(one: Observed, lately: list[Decimal]) -> bool:
    """Whether it is close to the last fetched rate, or to one that staff entered."""
    jump = guards_of(one.currency).jump
    return not lately or any(abs(one.per_real / before - 1) <= jump for before in lately)


def in_use() -> dict[str, Rate | None]:
    """The rate that is used now for each currency: that of staff while it is valid, else the newest fetched one.

    None where there is none: conversions of the currency answer 503.
    """
    valid = Rate.objects.filter(holds_until__gt=utcnow(), withdrawn_at=None).order_by("currency")
    newest = valid.filter(quoted_at__lte=utcnow()).order_by("currency", "-quoted_at", "-pk").distinct("currency")
    by_staff = newest.filter(source=Rate.Source.STAFF)
    found = {rate.currency: rate for rate in [*newest, *by_staff.select_related("entered_by")]}
    return {code: found.get(code) for code in DECIMALS if code != BASE}


def forget_old() -> int:
    """Deletes outdated fetched rates; those of staff stay, and the last one of each UTC day, for reports.

    Conversions keep their own rate.
    """
    old = Rate.objects.filter(source=Rate.Source.FETCHED, created_at__lt=utcnow() - KEPT_FOR)
    by_day = Rate.objects.order_by().values("currency", day=TruncDate("quoted_at", tzinfo=UTC))
    deleted, _ = old.exclude(pk__in=by_day.annotate(last=Max("pk")).values("last")).delete()
    return deleted
