"""Reads of payout schedules. The first argument is always the merchant."""

from django.db.models import QuerySet

from accounts.base.ids import is_well_formed
from accounts.models import Merchant
from gateway.payout_schedules.errors import ScheduleUnknown
from gateway.payout_schedules.models import PayoutRun, PayoutSchedule

RUNS = 10


def get(merchant: Merchant, schedule_id: str) -> PayoutSchedule:
    """Raises ONP404_PAYOUT_SCHEDULE."""
    rows = PayoutSchedule.objects.filter(merchant=merchant, pk=schedule_id)
    found = rows.first() if is_well_formed(schedule_id) else None
    if found is None:
        raise ScheduleUnknown
    return found


def running(merchant: Merchant) -> QuerySet[PayoutSchedule]:
    """The schedules that have not ended, newest first."""
    return PayoutSchedule.objects.filter(merchant=merchant, ended_at=None).order_by("-created_at", "-id")


def last_runs(schedule: PayoutSchedule) -> list[PayoutRun]:
    """The last runs, newest first."""
    return list(schedule.runs.order_by("-period")[:RUNS])
