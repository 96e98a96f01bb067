"""Months begin at midnight of the company's country."""

from datetime import UTC, date, datetime

import pytest

from accounts.models import Company, Merchant
from gateway.months import calendar


@pytest.mark.parametrize(
    ("country", "at", "first", "closes"),
    [
        ("BR", datetime(2026, 11, 1, 2, 59, tzinfo=UTC), date(2026, 10, 1), datetime(2026, 11, 1, 9, tzinfo=UTC)),
        ("BR", datetime(2026, 11, 1, 9, 0, tzinfo=UTC), date(2026, 11, 1), datetime(2026, 12, 1, 9, tzinfo=UTC)),
        ("PT", datetime(2026, 12, 31, 23, 59, tzinfo=UTC), date(2026, 12, 1), datetime(2027, 1, 1, 6, tzinfo=UTC)),
    ],
)
def test_a_month_begins_and_closes_by_the_clock_of_its_country(
    country: str, at: datetime, first: date, closes: datetime
) -> None:
    merchant = Merchant(company=Company(country=country))

    assert calendar.first_day(merchant, at) == first
    assert calendar.next_closing(merchant, at) == closes
    assert calendar.preceding(calendar.following(first)) == first
