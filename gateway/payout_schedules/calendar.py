"""When a schedule runs: at an hour of the company, whatever its offset from UTC is on that day."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from gateway.payout_schedules.models import Frequency, PayoutSchedule

ZONES = {
    "BR": "America/Sao_Paulo",
    "MX": "America/Mexico_City",
    "AR": "America/Argentina/Buenos_Aires",
    "CO": "America/Bogota",
    "PT": "Europe/Lisbon",
}
"""The time zone of a company by its country."""
LOOKED_AT_EVERY = timedelta(hours=3)


def zone_of(country: str) -> str:
    """UTC for a country without a market."""
    return ZONES.get(country, "UTC")


def local_day(schedule: PayoutSchedule, at: datetime) -> date:
    """The day of the company at this moment: the period of a run."""
    return at.astimezone(ZoneInfo(schedule.time_zone)).date()


def next_run(schedule: PayoutSchedule, after: datetime) -> datetime:
    """The first moment after `after`, and not before the end of the cooling-off."""
    after = max(after, schedule.usable_from)
    day = local_day(schedule, after)
    while True:
        at = datetime.combine(day, time(schedule.hour), ZoneInfo(schedule.time_zone))
        if at > after and (schedule.frequency != Frequency.WEEKLY or day.weekday() == schedule.weekday):
            return at
        day += timedelta(days=1)


def next_look(schedule: PayoutSchedule, now: datetime) -> datetime:
    """When a wallet that had too little is looked at again: in three hours, and from the set hour of a day on."""
    later = now + LOOKED_AT_EVERY
    return later if local_day(schedule, later) == local_day(schedule, now) else next_run(schedule, now)
