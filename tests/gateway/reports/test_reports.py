"""Scheduled reports: a link at the hour of the person's zone, while the person may read the list."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from accounts.base import clock
from accounts.models import Email, Membership, Notification
from accounts.roles import Role
from gateway.reports import services
from gateway.reports.calendar import days_of, next_time
from gateway.reports.due import SENDING, query_of
from gateway.reports.models import Frequency, ScheduledReport
from tests.support.companies import Shop
from tests.support.people import a_member, signed_in

ZONE = "America/Sao_Paulo"


def plan(subject: str = "withdrawals", **given: Any) -> services.ReportPlan:
    return services.ReportPlan(**{"subject": subject, "frequency": "DAILY", "hour": 8, "time_zone": ZONE, **given})


@pytest.fixture
def report(acme: Shop) -> ScheduledReport:
    made = services.schedule(acme.production, a_member(acme.company, Role.FINANCE), plan(query="status=FAILED&since=x"))
    assert made
    return made


def falls_due(report: ScheduledReport) -> None:
    ScheduledReport.objects.filter(pk=report.pk).update(next_at=datetime(2026, 11, 2, 11, tzinfo=UTC))
    SENDING.sweep()


@pytest.mark.parametrize(
    ("frequency", "after", "at", "days"),
    [
        ("DAILY", "2026-11-02T12:00", "2026-11-03T11:00", ("2026-11-02", "2026-11-02")),
        ("WEEKLY", "2026-11-02T11:00", "2026-11-09T11:00", ("2026-11-02", "2026-11-08")),
        ("MONTHLY", "2026-12-31T12:00", "2027-01-01T11:00", ("2026-12-01", "2026-12-31")),
    ],
)
def test_when_and_about_which_days(frequency: str, after: str, at: str, days: tuple[str, str]) -> None:
    one = ScheduledReport(frequency=Frequency(frequency), hour=8, time_zone=ZONE)

    due = next_time(one, datetime.fromisoformat(after).replace(tzinfo=UTC))

    assert due == datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert days_of(one, due) == tuple(map(date.fromisoformat, days))


def test_a_report_is_a_link_to_the_list_and_no_data(acme: Shop, report: ScheduledReport) -> None:
    falls_due(report)

    email = Email.objects.get(kind="report")
    assert email.recipient == "finance@acme.example"
    link = reverse("dashboard:withdrawals", args=(acme.company.pk, "production"))
    yesterday = days_of(report, clock.now(acme.production))[1]
    query = f"status=FAILED&since=2026-11-01&until={yesterday}&format=csv"  # all days in which nothing ran
    assert f"{link}?{query}" in email.text
    told = Notification.objects.get(kind="report", user=report.user)
    browser = signed_in(report.user)
    opened = browser.get(reverse("dashboard:notification", args=(acme.company.pk, "production", told.pk)))
    assert opened["Location"] == f"{link}?{query}"
    assert browser.get(opened["Location"])["Content-Type"].startswith("text/csv")
    report.refresh_from_db()
    assert report.next_at > datetime.now(UTC) and SENDING.sweep() == 0
    assert report.next_at - datetime.now(UTC) <= timedelta(days=1)


def test_a_report_pauses_while_the_person_may_not_read_the_list(acme: Shop, report: ScheduledReport) -> None:
    Membership.objects.filter(user=report.user).update(role=Role.SUPPORT)
    falls_due(report)
    assert not Email.objects.exists()

    Membership.objects.filter(user=report.user).update(role=Role.VIEWER)
    falls_due(report)
    assert Email.objects.filter(kind="report").count() == 1


def test_a_report_of_a_removed_member_ends(acme: Shop, report: ScheduledReport) -> None:
    Membership.objects.filter(user=report.user).delete()
    falls_due(report)

    assert not Email.objects.exists() and not ScheduledReport.objects.exists()


@pytest.mark.parametrize(
    ("subject", "view", "query"),
    [
        (
            "payments",
            "paid_since=x&status=PAID",
            "status=PAID&paid_since=2026-11-01T00%3A00&paid_until=2026-11-02T23%3A59",
        ),
        (
            "refunds",
            "completed_until=x&tab=WAITING",
            "tab=WAITING&completed_since=2026-11-01&completed_until=2026-11-02",
        ),
        ("refunds", "", "tab=all&since=2026-11-01&until=2026-11-02"),
        ("statement", "bucket=PENDING&to=x", "bucket=PENDING&from=2026-11-01&to=2026-11-02"),
    ],
)
def test_the_days_take_the_place_of_those_of_the_view(subject: str, view: str, query: str) -> None:
    report = ScheduledReport(subject=subject, query=view)

    assert query_of(report, date(2026, 11, 1), date(2026, 11, 2)) == f"{query}&format=csv"
