"""Due work on scheduled reports: the person gets a link to the list of the days that have passed."""

from datetime import date, datetime
from urllib.parse import parse_qsl, urlencode

from django.utils.translation import gettext_lazy as _

from accounts.base import clock
from accounts.due import Due
from accounts.notices import notify
from accounts.roles import GRANTS, Role
from gateway.reports.calendar import days_of, next_time
from gateway.reports.models import ScheduledReport, Subject
from gateway.reports.services import NEEDS, membership

PAGE = {
    Subject.PAYMENTS: "payments",
    Subject.REFUNDS: "refunds",
    Subject.WITHDRAWALS: "withdrawals",
    Subject.STATEMENT: "statement_csv",
}
"""The URL name of each list as a file."""


def _send(report: ScheduledReport, due_at: datetime) -> None:
    """Sends the link and plans the next one: one link, also after days in which nothing ran.

    A report of somebody who is no longer a member is deleted; who may not read the list at the moment gets nothing.
    """
    member = membership(report.merchant, report.user_id)
    if member is None:
        report.delete()
        return
    now = clock.now(report.merchant)
    if NEEDS[report.subject] in GRANTS[Role(member.role)]:
        first, last = days_of(report, due_at)
        notify(
            member.company,
            (),
            _("a scheduled report is ready"),
            "report",
            PAGE[Subject(report.subject)],
            query=query_of(report, first, last),
            environment=report.merchant.environment,
            also=(member.user.email,),
            title=Subject(report.subject).label,
            name=report.name,
            first=first,
            last=last,
        )
        report.sent_at = now
    report.next_at = next_time(report, now)
    report.save(update_fields=["next_at", "sent_at"])


def query_of(report: ScheduledReport, first: date, last: date) -> str:
    """The filter of the list with these days instead of its own, as CSV."""
    days = {"since": f"{first}", "until": f"{last}"}
    if report.subject == Subject.PAYMENTS:
        days = {"since": f"{first}T00:00", "until": f"{last}T23:59"}
    elif report.subject == Subject.STATEMENT:
        days = {"from": f"{first}", "to": f"{last}"}
    elif report.subject == Subject.REFUNDS:
        days |= {"tab": "all"}
    filters = [(name, value) for name, value in parse_qsl(report.query) if name not in days]
    return urlencode([*filters, *days.items(), ("format", "csv")])


SENDING = Due(kind="report.sent", title="Scheduled reports", model=ScheduledReport, column="next_at", run=_send)
DUE = (SENDING,)


def send_due(limit: int = 100, environment: str | None = None) -> int:
    """Sends the reports that are due; returns how many."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)
