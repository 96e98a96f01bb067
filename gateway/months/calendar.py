"""Months of a company, by the days of its country."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from accounts.base import clock
from accounts.models import Merchant
from gateway.payout_schedules.calendar import zone_of

CLOSED_AT = time(6)
"""When months close by themselves, on the first of the next one: what is recorded late at night is in."""


def zone(merchant: Merchant) -> ZoneInfo:
    return ZoneInfo(zone_of(merchant.company.country))


def first_day(merchant: Merchant, at: datetime) -> date:
    """The first day of the month of this moment."""
    return at.astimezone(zone(merchant)).date().replace(day=1)


def following(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def preceding(first: date) -> date:
    return (first - timedelta(days=1)).replace(day=1)


def begin(merchant: Merchant, first: date) -> datetime:
    return datetime.combine(first, time(), zone(merchant))


def is_over(merchant: Merchant, first: date) -> bool:
    return begin(merchant, following(first)) <= clock.now(merchant)


def next_closing(merchant: Merchant, after: datetime) -> datetime:
    """The next time at which a month closes by itself."""
    first = first_day(merchant, after)
    at = datetime.combine(first, CLOSED_AT, zone(merchant))
    return at if at > after else datetime.combine(following(first), CLOSED_AT, zone(merchant))
