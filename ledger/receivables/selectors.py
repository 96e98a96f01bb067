"""Reads of receivables. The first argument is always the merchant."""

from datetime import datetime

from django.db.models import Q, QuerySet

from accounts.models import Merchant
from ledger.receivables.models import OPEN, Advance, Receivable, State, Taking


def releasing(
    merchant: Merchant,
    *,
    release_from: datetime | None = None,
    release_to: datetime | None = None,
    **equal_to: str | None,
) -> QuerySet[Receivable]:
    """The receivables that RELEASING consists of, due soonest first. `release_to` is exclusive; other filters
    compare values.
    """
    found = Receivable.objects.filter(
        merchant=merchant, state__in=OPEN, **{k: v for k, v in equal_to.items() if v is not None}
    )
    if release_from:
        found = found.filter(release_at__gte=release_from)
    if release_to:
        found = found.filter(release_at__lt=release_to)
    return found.order_by("release_at", "id")


def among(merchant: Merchant, receivable_ids: list[str]) -> QuerySet[Receivable]:
    """The merchant's receivables with these ids, unordered."""
    return Receivable.objects.filter(merchant=merchant, pk__in=receivable_ids)


def of_payment(merchant: Merchant, payment_id: str) -> Receivable | None:
    """None: the payment's money was available immediately."""
    return Receivable.objects.filter(merchant=merchant, payment_id=payment_id).first()


def would_wait(merchant: Merchant, refund_id: str, payment_id: str, minor: int, at: datetime) -> int:
    """How much of `minor` units that a refund took from receivables would wait for its release date again."""
    takings = dict(Taking.objects.filter(refund_id=refund_id).values_list("receivable_id", "amount"))
    own = {payment_id: minor - sum(takings.values())}
    touched = Receivable.objects.filter(Q(payment_id=payment_id) | Q(pk__in=takings), merchant=merchant)
    waiting = touched.filter(state__in=(State.SCHEDULED, State.CANCELED), release_at__gt=at)
    return sum(takings.get(one.pk, 0) + own.get(one.payment_id, 0) for one in waiting)


def advances(merchant: Merchant) -> QuerySet[Advance]:
    """Advances, newest first."""
    return Advance.objects.filter(merchant=merchant).select_related("requested_by").order_by("-id")
