"""Periods of time, and the calendar days they consist of."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import pairwise

from accounts.base import clock

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """From `begins` (inclusive) to `ends` (exclusive); days begin at midnight in `zone`."""

    begins: datetime
    ends: datetime
    zone: tzinfo

    @classmethod
    def of_days(cls, first: date, last: date, zone: tzinfo) -> "Period":
        """Whole days, both inclusive."""
        return cls(_midnight(first, zone), _midnight(last + DAY, zone), zone)

    @classmethod
    def last_days(cls, merchant: clock.HasClock, count: int, zone: tzinfo) -> "Period":
        """The last `days` days including today, by the merchant's clock."""
        today = clock.now(merchant).astimezone(zone).date()
        return cls.of_days(today - (count - 1) * DAY, today, zone)

    @property
    def before(self) -> "Period":
        """The period right before it: of whole months as many months, otherwise as many days."""
        first, last = self.days[0], self.days[-1]
        if first.day == 1 and (last + DAY).day == 1:
            months = 12 * (last.year - first.year) + last.month - first.month + 1
            return self.of_days(months_before(first, months), first - DAY, self.zone)
        return self.of_days(first - len(self.days) * DAY, first - DAY, self.zone)

    @property
    def days(self) -> list[date]:
        """Every day that is at least partly in the period."""
        first, last = (
            moment.astimezone(self.zone).date() for moment in (self.begins, self.ends - timedelta.resolution)
        )
        return [first + number * DAY for number in range((last - first).days + 1)]

    @property
    def borders(self) -> list[datetime]:
        """The start of each day within the period, and the period's end: one more than there are days."""
        return [self.begins, *(_midnight(later, self.zone) for _, later in pairwise(self.days)), self.ends]


def months_before(day: date, months: int) -> date:
    """The first day of the month that was so many months before."""
    year, month = divmod(12 * day.year + day.month - 1 - months, 12)
    return date(year, month + 1, 1)


def _midnight(day: date, zone: tzinfo) -> datetime:
    """If clocks go forward at midnight, the moment at which they do."""
    return datetime.combine(day, time(), zone).astimezone(UTC)
