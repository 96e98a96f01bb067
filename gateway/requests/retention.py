"""Retention: requests are kept for `ONPAY_REQUEST_LOG_DAYS`, then they go by whole ranges of ids."""

from datetime import timedelta

from django.conf import settings

from accounts.base.clock import utcnow
from accounts.base.ranges.chain import Ranged
from accounts.base.ranges.keeping import keep
from gateway.requests.models import ApiRequest

RANGES = Ranged(ApiRequest, "req")


def kept_for() -> timedelta:
    return timedelta(days=settings.REQUEST_LOG_DAYS)


def forget_old() -> list[str]:
    """Makes ranges ahead and drops old ones; returns the names of those. Raises NotTheOwner and Busy."""
    now = utcnow()
    return keep(RANGES, now - kept_for(), now)
