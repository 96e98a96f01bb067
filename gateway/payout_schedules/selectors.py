"""Reads of payout schedules, and what a run pays."""

from decimal import Decimal

from django.db.models import QuerySet

from accounts.base.ids import is_well_formed
from accounts.models import Membership, Merchant
from accounts.roles import Role
from gateway.payout_schedules.errors import ScheduleUnknown
from gateway.payout_schedules.models import PayoutRun, PayoutSchedule
from gateway.payouts.selectors import PayoutTerms

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


def is_kept(schedule: PayoutSchedule) -> bool:
    """Whether it runs at all: before it has paid anything, only while the person who registered it is an owner."""
    if schedule.runs.exclude(withdrawal_id="").exists():
        return True
    owners = Membership.objects.filter(company=schedule.merchant.company_id, role=Role.OWNER, user__is_active=True)
    return owners.filter(user=schedule.created_by_id).exists()


def due_amount(schedule: PayoutSchedule, available: int, terms: PayoutTerms) -> int:
    """What a run withdraws from a wallet with this much, without the fee; 0 if that is too little."""
    amount = payable(available - schedule.keep, terms)
    return 0 if amount < terms.minimum or available < (schedule.above or 0) else amount


def payable(budget: int, terms: PayoutTerms) -> int:
    """The largest amount that fits into the budget together with its fee, within the maximum; 0 if none does."""
    share = 1 + terms.fee_percentage / Decimal(100)
    amount = min(int((budget - terms.fee_fixed) / share) + 1, terms.maximum)
    while amount > 0 and amount + terms.fee_of(amount) > budget:
        amount -= 1
    return max(amount, 0)
