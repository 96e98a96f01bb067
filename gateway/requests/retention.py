"""Retention: requests are kept for `ONPAY_REQUEST_LOG_DAYS` and deleted in small batches."""

from datetime import timedelta

from django.conf import settings

from accounts.base.clock import utcnow
from accounts.base.ids import earliest
from gateway.requests.models import ApiRequest

BATCH = 1000


def forget_old() -> int:
    """Deletes what is older than that, a batch a transaction; returns how many.

    Ids begin with their time: the primary key finds what is old.
    """
    oldest = earliest("req", utcnow() - timedelta(days=settings.REQUEST_LOG_DAYS))
    forgotten = 0
    while True:
        old = ApiRequest.objects.filter(pk__lt=oldest).order_by("pk").values("pk")[:BATCH]
        deleted, _ = ApiRequest.objects.filter(pk__in=old).delete()
        forgotten += deleted
        if deleted < BATCH:
            return forgotten
