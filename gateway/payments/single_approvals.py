"""What one person of staff may decide alone about money of a company: up to an amount, and up to a sum in 24 hours."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Sum

from accounts.base.clock import utcnow
from accounts.models import Merchant, User
from gateway.payments.models import SingleApproval, SingleApprovalLimit

PERIOD = timedelta(hours=24)


def is_within(merchant: Merchant, currency: str, minor: int) -> bool:
    """Whether one person may decide about this amount; never without a limit of the company."""
    limit = SingleApprovalLimit.objects.filter(merchant=merchant, currency=currency).first()
    return limit is not None and minor <= limit.amount


@transaction.atomic
def is_left(merchant: Merchant, currency: str, minor: int, person: User) -> bool:
    """Whether the person has not yet decided about too much alone. In a transaction decisions wait for each other."""
    limits = SingleApprovalLimit.objects.select_for_update().filter(merchant=merchant, currency=currency)
    limit = limits.first()
    if limit is None:
        return False
    recent = SingleApproval.objects.filter(
        merchant=merchant, currency=currency, person=person, decided_at__gt=utcnow() - PERIOD
    )
    decided = recent.aggregate(total=Sum("amount"))["total"] or 0
    return int(decided) + minor <= limit.amount_in_a_day


def note(merchant: Merchant, currency: str, minor: int, person: User, object_id: str) -> None:
    """Counts a decision that one person has made."""
    SingleApproval.objects.create(
        merchant=merchant, currency=currency, amount=minor, person=person, object_id=object_id[:128]
    )
