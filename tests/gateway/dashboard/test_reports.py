"""The page of scheduled reports: everybody schedules and ends their own, of lists that their role reads."""

from django.test import Client

from accounts.roles import Role
from gateway.reports import services
from gateway.reports.models import ScheduledReport
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.people import a_member

PLAN = services.ReportPlan(subject="withdrawals", frequency="DAILY", hour=8, time_zone="UTC")


def test_people_schedule_and_end_their_own_reports_by_role(
    acme: Shop, globex: Shop, page: Page, support: Client, stranger: Client
) -> None:
    report = services.schedule(acme.sandbox, a_member(acme.company, Role.FINANCE), PLAN)
    assert report
    refused = support.post(page("reports"), {"what": "withdrawals", "frequency": "DAILY", "hour": "8"})
    assert refused.status_code == 200 and ScheduledReport.objects.count() == 1
    assert services.schedule(acme.sandbox, a_member(globex.company, Role.FINANCE), PLAN) is None

    support.post(page("reports"), {"what": "payments", "frequency": "WEEKLY", "hour": "23"})
    mine = ScheduledReport.objects.get(user__email="support@acme.example")
    assert (mine.subject, mine.hour) == ("payments", 23)

    assert support.post(page("end_report", report.pk)).status_code == 404
    assert stranger.post(page("end_report", mine.pk)).status_code == 404
    assert support.post(page("end_report", mine.pk)).status_code == 302
    assert list(ScheduledReport.objects.all()) == [report]
