"""Scheduling and ending reports. Each person has only their own."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from accounts.base import clock
from accounts.models import Membership, Merchant, User
from accounts.roles import GRANTS, May, Role
from gateway.reports.calendar import next_time
from gateway.reports.models import ScheduledReport, Subject

MOST = 20
NEEDS: dict[str, May] = {
    Subject.PAYMENTS: May.READ_PAYMENTS,
    Subject.REFUNDS: May.READ_PAYMENTS,
    Subject.STATEMENT: May.READ_MONEY,
    Subject.WITHDRAWALS: May.READ_MONEY,
}
"""The permission of the list that a report is about."""


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """A report as it is scheduled; `query` is the filter of a list."""

    subject: str
    frequency: str
    hour: int
    time_zone: str
    name: str = ""
    query: str = ""


@transaction.atomic
def schedule(merchant: Merchant, user: User, plan: ReportPlan) -> ScheduledReport | None:
    """Schedules a report for this person; None if they already have MOST, or may not read the list."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two requests at once do not exceed MOST
    if of_person(merchant, user).count() >= MOST or not is_allowed(merchant, user.pk, plan.subject):
        return None
    report = ScheduledReport(
        merchant=merchant,
        user=user,
        subject=plan.subject,
        name=plan.name,
        query=plan.query,
        frequency=plan.frequency,
        hour=plan.hour,
        time_zone=plan.time_zone,
    )
    report.next_at = next_time(report, clock.now(merchant))
    report.save(force_insert=True)
    return report


def end(merchant: Merchant, user: User, report_id: str) -> bool:
    """Deletes the person's own report; False if they have none of this id."""
    return bool(of_person(merchant, user).filter(pk=report_id).delete()[0])


def of_person(merchant: Merchant, user: User) -> QuerySet[ScheduledReport]:
    return ScheduledReport.objects.filter(merchant=merchant, user=user).order_by("created_at", "id")


def membership(merchant: Merchant, user_id: int) -> Membership | None:
    """The person's membership in the company, if they can sign in."""
    found = Membership.objects.filter(company=merchant.company_id, user=user_id, user__is_active=True)
    return found.select_related("user", "company").first()


def is_allowed(merchant: Merchant, user_id: int, subject: str) -> bool:
    """Whether the person may read what the report lists, now."""
    member = membership(merchant, user_id)
    return member is not None and NEEDS[subject] in GRANTS[Role(member.role)]
