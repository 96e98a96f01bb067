"""What is left of our fees after those of the acquirers: of a payment, and of a period. For staff only."""

from collections.abc import Sequence
from datetime import date
from itertools import starmap
from typing import NamedTuple

from django.db.models import BigIntegerField, F, Sum
from django.db.models.functions import TruncMonth

from gateway.payments.models import Payment
from gateway.settlements.models import BOOKED, SettlementDay, SettlementLine

LONGEST = 400
"""Days of a report at most."""


class Margin(NamedTuple):
    """Minor units of the payment's currency. `acquirer_fee` includes those of its refunds and disputes."""

    our_fee: int
    acquirer_fee: int

    @property
    def left(self) -> int:
        return self.our_fee - self.acquirer_fee


def of_payment(payment: Payment) -> Margin | None:
    """None while no line names it, or if anything of it was settled in another currency."""
    lines = SettlementLine.objects.filter(payment=payment, state__in=BOOKED)
    charged = dict(lines.values("currency").values_list("currency", _sum("fee")))
    return Margin(payment.fee, charged[payment.currency]) if charged.keys() == {payment.currency} else None


class PeriodRow(NamedTuple):
    """A month of an account, method and currency; without a method: what belongs to no payment."""

    month: date
    account: str
    method: str
    currency: str
    gross: int
    our_fee: int
    acquirer_fee: int

    @property
    def margin(self) -> int:
        return self.our_fee - self.acquirer_fee


def of_period(since: date, until: date) -> Sequence[PeriodRow]:
    """The months of the period, by account, method and currency; `until` is included. At most 400 days are read. What
    neither took nor cost anything, as payouts do, is left out.
    """
    assert (until - since).days <= LONGEST
    days = SettlementDay.objects.filter(day__gte=since, day__lte=until).annotate(month=TruncMonth("day"))
    by = ("month", "account__title", "method", "currency")
    sums = days.order_by(*by).values(*by)
    rows = sums.annotate(
        taken=_sum("net") + _sum("acquirer_fee"), ours=_sum("our_fee"), theirs=_sum("acquirer_fee")
    ).values_list(*by, "taken", "ours", "theirs")
    return [row for row in starmap(PeriodRow, rows) if row.gross or row.our_fee or row.acquirer_fee]


def _sum(name: str) -> Sum:
    return Sum(F(name), output_field=BigIntegerField())
