"""What is known of the coming days of a wallet: releases, reserves that end, and what incoming money must cover."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from decimal import Decimal

from django.db.models import Count, DecimalField, ExpressionWrapper, F, Max, Sum, Value
from django.db.models.functions import Floor, TruncDate, TruncHour

from accounts.models import Merchant
from ledger.holds.models import Hold, Reason
from ledger.receivables.models import Receivable, State


@dataclass(frozen=True, slots=True)
class Inflow:
    """Money that becomes available at about the same time. Minor units; `reserved` is held of it again."""

    at: datetime
    count: int
    amount: int
    reserved: int = 0


def reserved_of(merchant: Merchant, net: int) -> int:
    """The rolling reserve of one release."""
    return int(net * merchant.reserve_percentage // 100)


def releases(
    merchant: Merchant, currency: str, until: datetime, zone: tzinfo, without: Collection[str] = ()
) -> list[Inflow]:
    """The scheduled receivables due before `until`, those of an hour together: no payout runs between full hours."""
    share = F("amount") * Value(merchant.reserve_percentage) / Value(Decimal(100))
    rows = Receivable.objects.filter(
        merchant=merchant, currency=currency, state=State.SCHEDULED, release_at__lt=until
    ).exclude(pk__in=without)
    hours = rows.order_by().values(hour=TruncHour("release_at", tzinfo=UTC), day=TruncDate("release_at", tzinfo=zone))
    summed = hours.annotate(
        last=Max("release_at"),
        n=Count("pk"),
        sum=Sum("amount"),
        held=Sum(Floor(ExpressionWrapper(share, DecimalField()))),
    )
    return [Inflow(at, n, int(net), int(held)) for at, n, net, held in summed.values_list("last", "n", "sum", "held")]


def ending_reserves(merchant: Merchant, currency: str, until: datetime, zone: tzinfo) -> list[Inflow]:
    """The rolling reserves that end before `until`, those of an hour together."""
    rows = Hold.objects.filter(
        merchant=merchant,
        currency=currency,
        reason=Reason.ROLLING_RESERVE,
        ended_at=None,
        expected_release_at__lt=until,
    )
    hours = rows.order_by().values(
        hour=TruncHour("expected_release_at", tzinfo=UTC), day=TruncDate("expected_release_at", tzinfo=zone)
    )
    summed = hours.annotate(last=Max("expected_release_at"), n=Count("pk"), sum=Sum("amount"))
    return [Inflow(at, n, int(amount)) for at, n, amount in summed.values_list("last", "n", "sum")]


def missing(merchant: Merchant, currency: str) -> int:
    """What refunds and disputes lack: it is taken from the next money that comes in."""
    rows = Hold.objects.filter(merchant=merchant, currency=currency, ended_at=None, missing__gt=0)
    return int(rows.aggregate(sum=Sum("missing"))["sum"] or 0)
