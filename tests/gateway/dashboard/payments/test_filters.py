"""The filters of the payment list: minutes in the reader's zone, also where clocks are changed."""

from datetime import UTC, datetime

import pytest
from django.http import QueryDict
from django.utils import timezone

from gateway.dashboard.payments.filters import PaymentFilterForm

NOW = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "begins", "ends"),
    [
        ("2026-04-04", "2026-04-04T03:00", "2026-04-05T04:00"),  # its last hour happens twice
        ("2026-09-06", "2026-09-06T04:00", "2026-09-07T03:00"),  # it begins at one o'clock
    ],
)
def test_days_are_whole_where_clocks_change_at_midnight(day: str, begins: str, ends: str) -> None:
    with timezone.override("America/Santiago"):
        search = PaymentFilterForm(QueryDict(f"paid_since={day}T00:00&paid_until={day}T23:59"), NOW).search

    assert (search.paid_from, search.paid_to) == tuple(
        datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in (begins, ends)
    )


@pytest.mark.parametrize("moment", ["9999-12-31T23:59", "0001-01-01T00:00"])
def test_a_minute_outside_the_calendar_is_reported_and_ignored(moment: str) -> None:
    form = PaymentFilterForm(QueryDict(f"since={moment}&until={moment}"), NOW)

    assert {*form.errors} == {"since", "until"}
    assert form.search.created_from is None and form.search.created_to is None
