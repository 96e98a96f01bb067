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
        """The preceding period with the same number of days."""
        days = self.days
        return self.of_days(days[0] - len(days) * DAY, days[0] - DAY, self.zone)

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


def _midnight(day: date, zone: tzinfo) -> datetime:
    """If clocks go forward at midnight, the moment at which they do."""
    return datetime.combine(day, time(), zone).astimezone(UTC)
