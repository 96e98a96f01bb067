"""Reading notifications: each person reads, and marks as read, only their own."""

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet

from accounts.base.clock import utcnow
from accounts.base.ids import earliest
from accounts.models import Membership, Merchant
from accounts.notifications.models import Notification

KEPT_FOR = timedelta(days=90)
BATCH = 1000


def told(member: Membership, merchant: Merchant, *, kind: str = "", unread: bool = False) -> QuerySet[Notification]:
    """What this person was told about the merchant and may still see in their present role, newest first."""
    found = Notification.objects.filter(user=member.user_id, merchant=merchant, roles__contains=[member.role])
    if kind:
        found = found.filter(kind=kind)
    if unread:
        found = found.filter(read_at=None)
    return found.order_by("-id")


def mark_read(rows: QuerySet[Notification]) -> int:
    """Marks the unread ones of `told` as read; returns how many."""
    return rows.order_by().filter(read_at=None).update(read_at=utcnow())


def forget_old() -> int:
    """Deletes notifications older than ninety days in batches; returns how many."""
    oldest, forgotten = earliest("ntf", utcnow() - KEPT_FOR), 0
    while deleted := Notification.objects.filter(pk__in=_first(oldest)).delete()[0]:
        forgotten += deleted
    return forgotten


def _first(before: str) -> QuerySet[Notification, Any]:
    return Notification.objects.filter(pk__lt=before).order_by("pk").values("pk")[:BATCH]
