"""The one clock. A sandbox merchant's can be moved forward; everything that falls due follows it."""

from datetime import UTC, datetime, timedelta
from typing import Protocol


class HasClock(Protocol):
    """Whatever has a clock of its own, ahead of the real time by `clock_offset`: a merchant."""

    clock_offset: timedelta


def utcnow() -> datetime:
    """The real time in UTC, to the millisecond: for leases, retries and sessions, never for money."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def now(merchant: HasClock) -> datetime:
    """The time in which this merchant's money lives, in UTC, to the millisecond."""
    return utcnow() + merchant.clock_offset
