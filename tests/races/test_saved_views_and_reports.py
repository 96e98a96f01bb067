"""What a person saves twice at the same moment is saved once: limits and defaults hold."""

import pytest
from django.urls import reverse

from gateway.dashboard.models import SavedView
from gateway.reports import services
from gateway.reports.models import ScheduledReport
from gateway.reports.services import MOST, ReportPlan
from tests.support.companies import Shop
from tests.support.people import a_member, signed_in
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
PLAN = ReportPlan("payments", "DAILY", 8, "UTC")


def test_a_list_has_one_default_view_and_a_person_no_more_reports_than_allowed(acme: Shop) -> None:
    person = a_member(acme.company)
    browser = signed_in(person)
    page = reverse("dashboard:keep_view", args=(acme.company.pk, "sandbox", "payments"))
    for _ in range(MOST - 1):
        services.schedule(acme.sandbox, person, PLAN)

    at_once(*[lambda name=name: browser.post(page, {"name": name, "is_default": "on"}) for name in "abcd"])
    at_once(*[lambda: services.schedule(acme.sandbox, person, PLAN)] * 4)  # type: ignore[list-item,return-value]

    assert list(SavedView.objects.values_list("is_default").order_by("is_default")) == [(False,)] * 3 + [(True,)]
    assert ScheduledReport.objects.count() == MOST
