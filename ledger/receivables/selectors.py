"""Reads of receivables. The first argument is always the merchant."""

from datetime import datetime

from django.db.models import QuerySet

from accounts.models import Merchant
from ledger.receivables.models import OPEN, Advance, Receivable


def releasing(
    merchant: Merchant,
    *,
    release_from: datetime | None = None,
    release_to: datetime | None = None,
    **equal_to: str | None,
) -> QuerySet[Receivable]:
    """What RELEASING is made of, due soonest first. `release_to` is exclusive; the other filters compare values."""
    found = Receivable.objects.filter(
        merchant=merchant, state__in=OPEN, **{k: v for k, v in equal_to.items() if v is not None}
    )
    if release_from:
        found = found.filter(release_at__gte=release_from)
    if release_to:
        found = found.filter(release_at__lt=release_to)
    return found.order_by("release_at", "id")


def among(merchant: Merchant, receivable_ids: list[str]) -> QuerySet[Receivable]:
    """Those of the merchant's that have one of these ids, in no order."""
    return Receivable.objects.filter(merchant=merchant, pk__in=receivable_ids)


def of_payment(merchant: Merchant, payment_id: str) -> Receivable | None:
    """None: the payment's money was available at once."""
    return Receivable.objects.filter(merchant=merchant, payment_id=payment_id).first()


def advances(merchant: Merchant) -> QuerySet[Advance]:
    """What was asked for sooner, newest first."""
    return Advance.objects.filter(merchant=merchant).select_related("requested_by").order_by("-id")
