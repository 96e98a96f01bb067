"""When money becomes available, to the second and by day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from django.db import connection
from django.db.models import Count, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate

from accounts.base.periods import Period
from accounts.base.rows import table
from accounts.models import Merchant
from ledger.chart import WALLET_METHOD
from ledger.receivables.models import Receivable, State

ON_THEIR_DAY = (State.SCHEDULED, State.RESERVED_FOR_ADVANCE, State.RELEASED)
"""Statuses that become or became available on their date, neither advanced nor refunded before."""


# Literal states: a generic plan could not use the partial index of open ones. Ordered by currency as only that index
# is: in another one PostgreSQL reads everything that is open for a currency that has nothing.
_NEXT = f"""
    SELECT soonest.currency, soonest.release_at FROM unnest(%(currencies)s::text[]) currency
     CROSS JOIN LATERAL (
           SELECT r.currency, release_at FROM {table(Receivable)} r
            WHERE r.merchant_id = %(merchant)s AND r.currency >= currency.currency
              AND r.state IN ('{State.SCHEDULED}', '{State.RESERVED_FOR_ADVANCE}') AND r.state = '{State.SCHEDULED}'
            ORDER BY r.currency, r.release_at, r.id LIMIT 1) soonest
     WHERE soonest.currency = currency.currency
"""


@dataclass(frozen=True, slots=True)
class Day:
    """The releases of one day in one currency. Minor units; `net` is after fees and refunds, `released` of it is
    available already.
    """

    day: date
    currency: str
    count: int
    gross: int
    fee: int
    refunded: int
    net: int
    released: int
    first_at: datetime
    last_at: datetime


@dataclass(slots=True)
class Total:
    """The total of a list in one currency. Minor units."""

    currency: str
    count: int = 0
    gross: int = 0
    fee: int = 0
    refunded: int = 0
    net: int = 0
    released: int = 0

    @property
    def to_come(self) -> int:
        return self.net - self.released

    def add(self, day: Day) -> None:
        for name in ("count", "gross", "fee", "refunded", "net", "released"):
            setattr(self, name, getattr(self, name) + getattr(day, name))


def listed(
    merchant: Merchant,
    since: datetime,
    until: datetime,
    *,
    states: Sequence[str] = ON_THEIR_DAY,
    currency: str | None = None,
) -> QuerySet[Receivable]:
    """Receivables due in this period, soonest first; `until` is exclusive."""
    found = Receivable.objects.filter(
        merchant=merchant, release_at__gte=since, release_at__lt=until, created_at__lt=until, state__in=states
    )
    return (found.filter(currency=currency) if currency else found).order_by("release_at", "id")


def days(rows: QuerySet[Receivable], zone: tzinfo) -> list[Day]:
    """Their totals by day in this zone and by currency."""
    made = rows.order_by().annotate(day=TruncDate("release_at", tzinfo=zone)).values("day", "currency")
    made = made.annotate(
        count=Count("pk"),
        gross=Sum("gross_amount"),
        paid_fee=Sum("fee"),
        refunded=Sum("refunded_amount"),
        net=Sum("amount"),
        released=Coalesce(Sum("amount", filter=Q(state=State.RELEASED)), 0),
        first_at=Min("release_at"),
        last_at=Max("release_at"),
    )
    names = ("day", "currency", "count", "gross", "paid_fee", "refunded", "net", "released", "first_at", "last_at")
    return [Day(*row) for row in made.order_by("day", "currency").values_list(*names)]


def next_days(merchant: Merchant, zone: tzinfo) -> list[Day]:
    """Per currency the next day with releases, including today, and the amount."""
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, {"currencies": list(WALLET_METHOD), "merchant": merchant.pk})
        soonest = dict(cursor.fetchall())
    wanted = Q(pk__in=[])
    for currency, at in soonest.items():
        day = at.astimezone(zone).date()
        wanted |= Q(currency=currency, release_at__gte=at, release_at__lt=Period.of_days(day, day, zone).ends)
    return days(Receivable.objects.filter(wanted, merchant=merchant, state=State.SCHEDULED), zone)


def totals(found: Sequence[Day]) -> list[Total]:
    """The totals of the days by currency."""
    made: dict[str, Total] = {}
    for day in found:
        made.setdefault(day.currency, Total(day.currency)).add(day)
    return [made[currency] for currency in sorted(made)]
