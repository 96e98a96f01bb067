"""When a report is sent, and about which days."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from gateway.reports.models import Frequency, ScheduledReport

MONDAY = 0


def next_time(report: ScheduledReport, after: datetime) -> datetime:
    """The first moment after `after`, at the hour of the person's zone."""
    zone = ZoneInfo(report.time_zone)
    day = after.astimezone(zone).date()
    while True:
        at = datetime.combine(day, time(report.hour), zone)
        if at > after and _is_on(report, day):
            return at
        day += timedelta(days=1)


def days_of(report: ScheduledReport, due_at: datetime) -> tuple[date, date]:
    """The first and the last day that the report due at this time is about."""
    today = due_at.astimezone(ZoneInfo(report.time_zone)).date()
    yesterday = today - timedelta(days=1)
    if report.frequency == Frequency.MONTHLY:
        last = today.replace(day=1) - timedelta(days=1)
        return last.replace(day=1), last
    if report.frequency == Frequency.WEEKLY:
        last = today - timedelta(days=today.weekday() + 1)
        return last - timedelta(days=6), last
    return yesterday, yesterday


def _is_on(report: ScheduledReport, day: date) -> bool:
    if report.frequency == Frequency.MONTHLY:
        return day.day == 1
    return report.frequency == Frequency.DAILY or day.weekday() == MONDAY
