"""The one clock. A sandbox merchant's can be moved forward; everything that falls due follows it."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accounts.models import Merchant


def wall() -> datetime:
    """The real time in UTC, to the millisecond: for leases, retries and sessions, never for money."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def now(merchant: "Merchant") -> datetime:
    """The time in which this merchant's money lives, in UTC, to the millisecond."""
    return wall() + merchant.clock_offset
