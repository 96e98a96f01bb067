"""Periods: a stretch of time and the days of somebody's calendar that it consists of."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import pairwise

from accounts.base import clock

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """From `begins` until before `ends`; its days begin at midnight in `zone`."""

    begins: datetime
    ends: datetime
    zone: tzinfo

    @classmethod
    def of_days(cls, first: date, last: date, zone: tzinfo) -> "Period":
        """Whole days, both of them included."""
        return cls(_midnight(first, zone), _midnight(last + DAY, zone), zone)

    @classmethod
    def last_days(cls, merchant: clock.HasClock, count: int, zone: tzinfo) -> "Period":
        """Today, by the merchant's clock, and the days before it, so many in all."""
        today = clock.now(merchant).astimezone(zone).date()
        return cls.of_days(today - (count - 1) * DAY, today, zone)

    @property
    def before(self) -> "Period":
        """The period of as many days that ends where this one begins."""
        days = self.days
        return self.of_days(days[0] - len(days) * DAY, days[0] - DAY, self.zone)

    @property
    def days(self) -> list[date]:
        """Every day of which the period has a part."""
        first, last = (
            moment.astimezone(self.zone).date() for moment in (self.begins, self.ends - timedelta.resolution)
        )
        return [first + number * DAY for number in range((last - first).days + 1)]

    @property
    def borders(self) -> list[datetime]:
        """Where each of the days begins within the period, and where the period ends: one more than days."""
        return [self.begins, *(_midnight(later, self.zone) for _, later in pairwise(self.days)), self.ends]


def _midnight(day: date, zone: tzinfo) -> datetime:
    """Where the clocks go forward at midnight, the moment in which they do."""
    return datetime.combine(day, time(), zone).astimezone(UTC)
