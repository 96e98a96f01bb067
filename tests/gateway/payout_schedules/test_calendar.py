"""When a schedule runs, by the clock of the company."""

from datetime import UTC, datetime

from gateway.payout_schedules.calendar import next_run
from gateway.payout_schedules.models import PayoutSchedule
from tests.support.rows import rows


@rows(
    ("zone", "after", "at"),
    [
        ("America/Sao_Paulo", "2026-11-22T08:59", "2026-11-22T09:00"),
        ("America/Sao_Paulo", "2026-11-22T09:00", "2026-11-23T09:00"),
        ("Europe/Lisbon", "2026-03-28T12:00", "2026-03-29T05:00"),  # the night in which summer time begins
        ("Europe/Lisbon", "2026-10-24T12:00", "2026-10-25T06:00"),
        ("UTC", "2026-12-31T23:00", "2027-01-01T06:00"),
    ],
)
def test_a_daily_run_is_at_the_hour_of_the_company(zone: str, after: str, at: str) -> None:
    moment = datetime.fromisoformat(after).replace(tzinfo=UTC)
    schedule = PayoutSchedule(frequency="DAILY", hour=6, time_zone=zone, usable_from=moment)

    assert next_run(schedule, moment) == datetime.fromisoformat(at).replace(tzinfo=UTC)
