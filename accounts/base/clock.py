"""The one clock. A sandbox merchant's clock can be moved forward; everything that falls due follows it."""

from datetime import UTC, datetime, timedelta
from typing import Protocol


class HasClock(Protocol):
    """Anything with a clock that is ahead of real time by `clock_offset`: a merchant."""

    clock_offset: timedelta


def utcnow() -> datetime:
    """The real time in UTC, to the millisecond: for leases, retries and sessions, never for money."""
    return to_the_millisecond(datetime.now(UTC))


def to_the_millisecond(moment: datetime) -> datetime:
    """Times of money are stored as precisely as they are told."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def now(merchant: HasClock) -> datetime:
    """The time that applies to this merchant's money, in UTC, to the millisecond."""
    return utcnow() + merchant.clock_offset
