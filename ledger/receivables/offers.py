"""Receivables that can be advanced."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min, QuerySet, Sum

from accounts.models import Merchant
from ledger.receivables.models import Receivable, State


@dataclass(frozen=True, slots=True)
class AdvanceOffer:
    """The advance offer in one currency. Minor units."""

    currency: str
    count: int
    amount: int
    first_at: datetime
    last_at: datetime


def offered(merchant: Merchant, now: datetime) -> QuerySet[Receivable]:
    """The receivables that could be advanced, soonest first."""
    return Receivable.objects.filter(
        merchant=merchant, state=State.SCHEDULED, release_at__gt=now, advance_monthly_rate__isnull=False
    ).order_by("release_at", "id")


def offers(merchant: Merchant, now: datetime) -> list[AdvanceOffer]:
    """The offers by currency, without empty ones."""
    rows = offered(merchant, now).order_by().values("currency")
    summed = rows.annotate(n=Count("pk"), sum=Sum("amount"), first=Min("release_at"), last=Max("release_at"))
    return [
        AdvanceOffer(*row) for row in summed.order_by("currency").values_list("currency", "n", "sum", "first", "last")
    ]
