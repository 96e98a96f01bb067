"""Reads of holds. The first argument is always the merchant."""

from django.db.models import QuerySet

from accounts.models import Merchant
from ledger.holds.models import Hold


def blocked(merchant: Merchant, **equal_to: str | None) -> QuerySet[Hold]:
    """The holds that BLOCKED consists of, newest first. The filters compare whole values."""
    wanted = {k: v for k, v in equal_to.items() if v is not None}
    return Hold.objects.filter(merchant=merchant, ended_at=None, amount__gt=0, **wanted).order_by("-created_at", "-id")
