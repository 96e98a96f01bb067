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
DAYS = {
    Subject.PAYMENTS: (("since", "until"), ("paid_since", "paid_until")),
    Subject.REFUNDS: (("since", "until"), ("completed_since", "completed_until")),
    Subject.WITHDRAWALS: (("since", "until"),),
    Subject.STATEMENT: (("from", "to"),),
}
"""The filters of each list by days, the usual one first."""


def _send(report: ScheduledReport, due_at: datetime) -> None:
    """Sends the link and plans the next one. After days in which nothing ran one link is about all of them.

    A report of somebody who is no longer a member is deleted; who may not read the list at the moment gets nothing.
    """
    member = membership(report.merchant, report.user_id)
    if member is None:
        report.delete()
        return
    now = clock.now(report.merchant)
    if NEEDS[report.subject] in GRANTS[Role(member.role)]:
        (first, _to), (_from, last) = days_of(report, due_at), days_of(report, max(now, due_at))
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
            days_zone=report.time_zone,
        )
        report.sent_at = now
    report.next_at = next_time(report, now)
    report.save(update_fields=["next_at", "sent_at"])


def query_of(report: ScheduledReport, first: date, last: date) -> str:
    """The filter of the list as CSV, with these days instead of its own.

    Of payments and refunds by the time that the filter is about; of refunds all, if it says no tab.
    """
    filters = parse_qsl(report.query)
    named, pairs = {name for name, _value in filters}, DAYS[Subject(report.subject)]
    since, until = next((pair for pair in pairs if named & {*pair}), pairs[0])
    minutes = ("T00:00", "T23:59") if report.subject == Subject.PAYMENTS else ("", "")
    tab = [("tab", "all")] if report.subject == Subject.REFUNDS and "tab" not in named else []
    rest = [one for one in filters if all(one[0] not in pair for pair in pairs)]
    return urlencode([*rest, *tab, (since, f"{first}{minutes[0]}"), (until, f"{last}{minutes[1]}"), ("format", "csv")])


SENDING = Due(kind="report.sent", title="Scheduled reports", model=ScheduledReport, column="next_at", run=_send)
DUE = (SENDING,)


def send_due(limit: int = 100, environment: str | None = None) -> int:
    """Sends the reports that are due; returns how many."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)
