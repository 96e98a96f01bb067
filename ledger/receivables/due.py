"""Due work on receivables: each is released once, on its release date."""

from datetime import datetime
from functools import partial

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction

from accounts.base import clock
from accounts.base.rows import first, retry_on_deadlock, table
from accounts.due import Due, of_environment
from accounts.models import Merchant
from ledger.receivables.models import Receivable, State
from ledger.receivables.releases import KIND, NOT_STUCK, release_rows

log = structlog.get_logger()

BATCH = 500
"""Receivables of one wallet per transaction."""
_TABLE, _MERCHANTS = table(Receivable), table(Merchant)
_WAITS = f"""r.state = '{State.SCHEDULED}' AND {NOT_STUCK} AND (r.merchant_id, r.currency) NOT IN (
    SELECT * FROM unnest(%(merchants)s::bigint[], %(currencies)s::text[]))"""


def _next_wallet_sql(served: str) -> str:
    """By real time, and by merchants' clocks that are ahead of it. One wallet per transaction: two could deadlock."""
    waits = f"{_WAITS} {served}"
    return f"""
    SELECT found.merchant_id, found.currency FROM (
        (SELECT r.merchant_id, r.currency, r.release_at FROM {_TABLE} r
          WHERE r.release_at <= %(now)s AND {waits} ORDER BY r.release_at LIMIT 1)
        UNION ALL
        SELECT r.merchant_id, r.currency, r.release_at FROM {_MERCHANTS} m
         CROSS JOIN LATERAL (SELECT * FROM {_TABLE} r
                              WHERE r.merchant_id = m.id AND r.release_at <= %(now)s + m.clock_offset AND {waits}
                              ORDER BY r.release_at LIMIT 1) r
         WHERE m.clock_offset > interval '0') found
     ORDER BY found.release_at LIMIT 1
"""


def _release(receivable: Receivable, at: datetime) -> None:
    release_rows(receivable.merchant, receivable.currency, at, only=[receivable.id])


RELEASE = Due(
    kind=KIND,
    title="Receivables to release",
    model=Receivable,
    column="release_at",
    statuses=(State.SCHEDULED,),
    status_column="state",
    run=_release,
)
DUE = (RELEASE,)


def run_due(limit: int = BATCH, environment: str | None = None) -> int:
    """Releases due receivables of all wallets, one batch per transaction; returns how many. May run twice or late.

    A wallet that another process releases is left for the next sweep. If a batch raises, its wallet is released one by
    one, and so is what has raised before: a receivable that cannot be released holds up no other.
    """
    served = of_environment(environment, "r")
    if served is None:
        return 0
    released = 0
    left: list[tuple[int, str]] = []
    while found := _next_wallet(left, served):
        merchant, currency = found
        try:
            count = retry_on_deadlock(partial(_release_batch, merchant, currency, limit))
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001  (any error: its own retry logs it)
            log.warning("receivables.released_singly", merchant=merchant.pk, error=type(error).__name__)
            count = RELEASE.sweep(limit, merchant=merchant)
        if not count:
            left.append((merchant.pk, currency))
        released += count
    return released + RELEASE.sweep(limit, environment=environment, retries_only=True)


@transaction.atomic
def _release_batch(merchant: Merchant, currency: str, limit: int) -> int:
    return release_rows(merchant, currency, clock.now(merchant), limit=limit)


def _next_wallet(left: list[tuple[int, str]], served: str) -> tuple[Merchant, str] | None:
    asked = {"merchants": [merchant for merchant, _ in left], "currencies": [currency for _, currency in left]}
    row = first(_next_wallet_sql(served), {"now": clock.utcnow(), **asked})
    return (Merchant.objects.select_related("company").get(pk=row[0]), row[1]) if row else None
