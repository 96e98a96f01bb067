"""What was sold in a period, day by day or month by month, and in the period that it is compared with."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from operator import attrgetter
from typing import Any

from django.db import connection

from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.sales.kept import KEPT, values_of
from gateway.sales.models import Kind

MOST_DAYS = 92
"""A longer period is divided into months."""
LONGEST_DAYS = 3 * 366

# Part 1 is the period before, 2 what lies between; the following ones are the days or months of the period.
_SUMS = f"""
    SELECT width_bucket(at, %(borders)s::timestamptz[]), kind, currency, method, reason,
           sum(count)::bigint, sum(amount)::bigint, sum(fee)::bigint
      FROM {KEPT}
     GROUP BY 1, 2, 3, 4, 5 HAVING (sum(count), sum(amount), sum(fee)) <> (0, 0, 0)
"""
_BEFORE, _BETWEEN = 1, 2
_KINDS = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Total:
    """A number of payments or refunds, their amount and fees. Minor units; of several currencies only the number."""

    count: int = 0
    amount: int = 0
    fee: int = 0

    def __add__(self, other: "Total") -> "Total":
        return Total(self.count + other.count, self.amount + other.amount, self.fee + other.fee)


@dataclass(frozen=True, slots=True)
class Part:
    """One sum of sales. `step` is the number of its day or month in the period, None in the period before."""

    step: int | None
    kind: Kind
    currency: str
    method: str
    reason: str
    total: Total


@dataclass(frozen=True)
class Sales:
    """The sums of a period, and of the one it is compared with. `steps` are its days or months: first and last."""

    period: Period
    before: Period
    steps: list[tuple[date, date]]
    parts: list[Part]

    def by(self, *names: str, kind: Kind, before: bool = False, **equal_to: str) -> dict[Any, Total]:
        """The totals of one kind by these attributes of its parts: by the value of one, by a tuple of several."""
        key = attrgetter(*names) if names else lambda part: ()
        counts: dict[Any, list[int]] = {}
        for part in self._of[kind, before]:
            if all(getattr(part, name) == value for name, value in equal_to.items()):
                sums = counts.setdefault(key(part), [0, 0, 0])
                sums[0] += part.total.count
                sums[1] += part.total.amount
                sums[2] += part.total.fee
        return {value: Total(*sums) for value, sums in counts.items()}

    @cached_property
    def _of(self) -> dict[tuple[Kind, bool], list[Part]]:
        """The parts of one kind, in the period or before it: each number on a page is a sum of few of them."""
        found: dict[tuple[Kind, bool], list[Part]] = defaultdict(list)
        for part in self.parts:
            found[part.kind, part.step is None].append(part)
        return found

    def total(self, kind: Kind, *, before: bool = False, **equal_to: str) -> Total:
        return self.by(kind=kind, before=before, **equal_to).get((), Total())


def sales(merchant: Merchant, period: Period, before: Period) -> Sales:
    """The sums of a period, and of one that ended by then, read in one statement."""
    steps = _steps(period)
    starts = [Period.of_days(first, last, period.zone).begins for first, last in steps]
    borders = [before.begins, before.ends, period.begins, *starts[1:], period.ends]
    with connection.cursor() as cursor:
        cursor.execute(_SUMS, {"borders": borders, **values_of(merchant, before, period)})
        return Sales(period, before, steps, list(_parts(cursor.fetchall())))


def _parts(rows: list[tuple[Any, ...]]) -> Iterator[Part]:
    for number, kind, currency, method, reason, *total in rows:
        if number != _BETWEEN:
            step = None if number == _BEFORE else number - _BETWEEN - 1
            yield Part(step, _KINDS[kind], currency, method, reason, Total(*total))


def _steps(period: Period) -> list[tuple[date, date]]:
    days = period.days
    if len(days) <= MOST_DAYS:
        return [(day, day) for day in days]
    months: dict[tuple[int, int], list[date]] = defaultdict(list)
    for day in days:
        months[day.year, day.month].append(day)
    return [(month[0], month[-1]) for month in months.values()]
