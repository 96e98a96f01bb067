"""E-mails about payout schedules: to owners when one begins or ends, and to finance when a payout was skipped."""

from django.utils.translation import gettext_lazy as _

from accounts.emails.topics import Topic
from accounts.models import User
from accounts.notices import notify
from accounts.roles import Role
from gateway.payout_schedules.models import PayoutRun, PayoutSchedule
from ledger.notation import in_market


def changed(schedule: PayoutSchedule, by: User | None) -> None:
    """A schedule is registered, begins or has ended, by itself if `by` is None: a security e-mail to every owner."""
    merchant = schedule.merchant
    notify(
        merchant.company,
        (Role.OWNER,),
        _("a payout schedule was ended") if schedule.ended_at else _("a payout schedule was registered"),
        "payout_schedule_changed",
        "payout_schedules",
        environment=merchant.environment,
        schedule=schedule,
        who=by.email if by else "",
    )


def skipped(run: PayoutRun) -> None:
    """A payout could not be made."""
    merchant = run.merchant
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            (Role.OWNER, Role.FINANCE),
            _("a scheduled payout was skipped"),
            "payout_skipped",
            "payout_schedules",
            environment=merchant.environment,
            topic=Topic.RETURNED,
            run=run,
        )
