"""Requests are kept for `ONPAY_REQUEST_LOG_DAYS`, and forgotten in small batches."""

from datetime import timedelta

from django.conf import settings

from accounts.base.clock import utcnow
from accounts.base.ids import earliest
from accounts.base.rows import execute

BATCH = 1000
# Ids begin with their time: the primary key finds what is old.
_FORGET = """
    DELETE FROM gateway_apirequest WHERE id IN (
        SELECT id FROM gateway_apirequest WHERE id < %s ORDER BY id LIMIT %s)
"""


def forget_old() -> int:
    """Deletes what is older than that, a batch a transaction; returns how many."""
    oldest = earliest("req", utcnow() - timedelta(days=settings.REQUEST_LOG_DAYS))
    forgotten = 0
    while True:
        deleted = execute(_FORGET, [oldest, BATCH])
        forgotten += deleted
        if deleted < BATCH:
            return forgotten
