"""Reads of withdrawals. The first argument is always the merchant."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from accounts.base.ids import is_well_formed
from accounts.base.listing import narrowed
from accounts.models import Merchant
from gateway.providers.models import ProviderAccount
from gateway.providers.needs import needed_for
from gateway.withdrawals.errors import WithdrawalUnknown
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal


def get(merchant: Merchant, withdrawal_id: str) -> Withdrawal:
    """Raises ONP404_WITHDRAWAL, also for another merchant's withdrawal."""
    rows = Withdrawal.objects.filter(merchant=merchant, pk=withdrawal_id).select_related("merchant")
    found = rows.first() if is_well_formed(withdrawal_id) else None
    if found is None:
        raise WithdrawalUnknown
    return found


def listed(merchant: Merchant, **limits: Any) -> QuerySet[Withdrawal]:
    """The merchant's withdrawals, newest first, within the limits of `narrowed`."""
    return narrowed(Withdrawal.objects.filter(merchant=merchant).select_related("merchant"), **limits)


def came_back(merchant: Merchant, since: datetime) -> QuerySet[Withdrawal]:
    """The merchant's withdrawals that failed or were returned since then, latest first."""
    ended = Withdrawal.objects.filter(merchant=merchant, status__in=(Status.FAILED, Status.RETURNED))
    return ended.filter(updated_at__gte=since).order_by("-updated_at", "-id")


def waiting(merchant: Merchant) -> QuerySet[Withdrawal]:
    """The merchant's withdrawals that wait for approval, newest first."""
    return narrowed(Withdrawal.objects.filter(merchant=merchant, approval=ApprovalState.PENDING))


def is_live(merchant: Merchant, reference: str) -> bool:
    """Whether a withdrawal that has not failed has this reference."""
    return Withdrawal.objects.filter(merchant=merchant, reference=reference).exclude(status="FAILED").exists()


@needed_for("withdrawals being processed")
def _under_way(account: ProviderAccount) -> int:
    return Withdrawal.objects.filter(account=account, status=Status.PROCESSING).count()
