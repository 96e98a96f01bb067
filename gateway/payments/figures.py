"""Figures of payments: daily volume and acceptance rate."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from django.contrib.postgres.fields import ArrayField
from django.db.models import Count, DateTimeField, F, Func, IntegerField, QuerySet, Sum, Value

from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.payments.models import Payment, Status

ENDED = (Status.PAID, Status.REFUNDED, Status.FAILED, Status.EXPIRED)


@dataclass(slots=True)
class Paid:
    """Number, volume and cost of payments, in minor units of one currency."""

    count: int = 0
    gross: int = 0
    fees: int = 0

    @property
    def net(self) -> int:
        return self.gross - self.fees


@dataclass(frozen=True, slots=True)
class VolumeFigure:
    """The volume of one currency on each day of a period, including days without payments."""

    days: dict[date, Paid]

    @property
    def total(self) -> Paid:
        days = self.days.values()
        return Paid(sum(day.count for day in days), sum(day.gross for day in days), sum(day.fees for day in days))


@dataclass(slots=True)
class Accepted:
    """How many payments have finished, and how many of them were paid."""

    paid: int = 0
    ended: int = 0

    @property
    def rate(self) -> Decimal | None:
        """Per cent, with one decimal; None if nothing has finished."""
        if not self.ended:
            return None
        return (Decimal(100 * self.paid) / self.ended).quantize(Decimal("0.1"), ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Figures of finished payments created in a period: by day of creation and by method."""

    days: dict[date, Accepted]
    methods: dict[str, Accepted] = field(default_factory=lambda: defaultdict(Accepted))

    @property
    def total(self) -> Accepted:
        days = self.days.values()
        return Accepted(sum(day.paid for day in days), sum(day.ended for day in days))


def _created_in(merchant: Merchant, period: Period) -> QuerySet[Payment]:
    return Payment.objects.filter(merchant=merchant, created_at__gte=period.begins, created_at__lt=period.ends)


def _number_of_day(period: Period, moment: str) -> Func:
    """The 1-based day of the period that a time belongs to, computed by PostgreSQL from the borders."""
    borders = Value(period.borders, ArrayField(DateTimeField()))
    return Func(F(moment), borders, function="width_bucket", output_field=IntegerField())


def volumes(merchant: Merchant, period: Period) -> dict[str, VolumeFigure]:
    """The volume of a period by currency, ordered by code. Amounts refunded later count as paid."""
    days = period.days
    found: dict[str, VolumeFigure] = {}
    rows = Payment.objects.filter(merchant=merchant, paid_at__gte=period.begins, paid_at__lt=period.ends)
    numbered = rows.annotate(day=_number_of_day(period, "paid_at")).values_list("currency", "day")
    summed = numbered.annotate(count=Count("*"), gross=Sum("amount"), fees=Sum("fee"))
    for currency, number, *figures in summed:  # unordered: sorting would cost more than summing
        volume = found.setdefault(currency, VolumeFigure({day: Paid() for day in days}))
        volume.days[days[number - 1]] = Paid(*map(int, figures))
    return dict(sorted(found.items()))


def acceptance(merchant: Merchant, period: Period) -> Acceptance:
    """How many of the finished payments created in a period were paid."""
    days = period.days
    found = Acceptance({day: Accepted() for day in days})
    rows = _created_in(merchant, period).filter(status__in=ENDED).annotate(day=_number_of_day(period, "created_at"))
    counted = rows.values_list("day", "method").annotate(paid=Count("paid_at"), ended=Count("*"))
    for number, method, paid, ended in counted:
        for accepted in (found.days[days[number - 1]], found.methods[method]):
            accepted.paid += paid
            accepted.ended += ended
    return Acceptance(found.days, dict(sorted(found.methods.items())))
