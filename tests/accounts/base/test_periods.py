"""Days begin at midnight where somebody lives, also when the clocks are changed there."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from accounts.base.periods import Period
from tests.support.companies import Shop

SAO_PAULO, LISBON = ZoneInfo("America/Sao_Paulo"), ZoneInfo("Europe/Lisbon")


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc]


def test_whole_days_are_those_of_the_place() -> None:
    period = Period.of_days(date(2026, 11, 20), date(2026, 11, 21), SAO_PAULO)

    assert (period.begins, period.ends) == (utc(2026, 11, 20, 3), utc(2026, 11, 22, 3))
    assert period.days == [date(2026, 11, 20), date(2026, 11, 21)]
    assert period.borders == [utc(2026, 11, 20, 3), utc(2026, 11, 21, 3), utc(2026, 11, 22, 3)]
    assert period.before == Period.of_days(date(2026, 11, 18), date(2026, 11, 19), SAO_PAULO)


def test_days_are_as_long_as_the_clocks_make_them() -> None:
    spring, autumn = (Period.of_days(day, day, LISBON) for day in (date(2026, 3, 29), date(2026, 10, 25)))
    lengths = [one.ends.astimezone(UTC) - one.begins.astimezone(UTC) for one in (spring, autumn)]
    assert lengths == [timedelta(hours=23), timedelta(hours=25)]

    without_midnight = Period.of_days(date(2018, 11, 3), date(2018, 11, 4), SAO_PAULO)
    assert without_midnight.borders == [utc(2018, 11, 3, 3), utc(2018, 11, 4, 3), utc(2018, 11, 5, 2)]


def test_a_stretch_of_time_has_parts_of_days() -> None:
    period = Period(utc(2026, 11, 20, 22), utc(2026, 11, 21, 3), SAO_PAULO)
    assert (period.days, period.borders) == ([date(2026, 11, 20)], [utc(2026, 11, 20, 22), utc(2026, 11, 21, 3)])

    longer = Period(utc(2026, 11, 20, 22), utc(2026, 11, 21, 4), SAO_PAULO)
    assert longer.borders == [utc(2026, 11, 20, 22), utc(2026, 11, 21, 3), utc(2026, 11, 21, 4)]
    assert len(longer.days) == 2


def test_the_last_days_end_with_the_merchants_today(acme: Shop) -> None:
    acme.sandbox.clock_offset = timedelta(days=40)
    here, ahead = (Period.last_days(merchant, 7, SAO_PAULO) for merchant in (acme.production, acme.sandbox))

    assert len(here.days) == len(ahead.days) == 7
    assert ahead.days[-1] - here.days[-1] == timedelta(days=40)
