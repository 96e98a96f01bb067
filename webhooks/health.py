"""Endpoint health: deliveries of the last day, the next one, and when a failing endpoint will be disabled."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from accounts.base.clock import utcnow
from accounts.base.rows import table
from accounts.models import Merchant
from webhooks.disturbances import is_genuine
from webhooks.models import Attempt, Delivery, Endpoint
from webhooks.notices import DISABLED_AFTER
from webhooks.queue import OPENS_AT

PERIOD = timedelta(days=1)
A_WHILE = timedelta(hours=1)
LOOKED_AT = 1000
"""The number of recent deliveries per endpoint that are evaluated."""

PENDING = Delivery.Status.PENDING
# Literal limits: a generic plan would read whole tables.
_HEALTH = f"""
    SELECT endpoint.id, made.tried, made.succeeded, made.p95_ms, made.failed_at, made.failure, due.waiting, due.next_at
      FROM {table(Endpoint)} endpoint
     CROSS JOIN LATERAL (
        SELECT count(*) AS tried, count(*) FILTER (WHERE is_good) AS succeeded,
               percentile_disc(0.95) WITHIN GROUP (ORDER BY elapsed_ms) AS p95_ms,
               max(started_at) FILTER (WHERE NOT is_good) AS failed_at,
               (array_agg(coalesce(error, http_status::text) ORDER BY started_at DESC)
                   FILTER (WHERE NOT is_good))[1] AS failure
          FROM (SELECT id FROM {table(Delivery)}
                 WHERE endpoint_id = endpoint.id AND created_at > %(since)s
                   AND {is_genuine(table(Delivery))}
                 ORDER BY created_at DESC LIMIT {LOOKED_AT}) latest
          JOIN LATERAL (SELECT *, error IS NULL AND http_status BETWEEN 200 AND 299 AS is_good
                          FROM {table(Attempt)} WHERE delivery_id = latest.id) attempt ON true) made
     CROSS JOIN LATERAL (
        SELECT count(*) AS waiting,
               min(CASE WHEN asked_for AND attempts = 0 THEN next_attempt_at
                        ELSE greatest(next_attempt_at, endpoint.open_until) END) AS next_at
          FROM (SELECT next_attempt_at, asked_for, attempts FROM {table(Delivery)}
                 WHERE endpoint_id = endpoint.id AND status = '{PENDING}'
                   AND {is_genuine(table(Delivery))}
                 ORDER BY next_attempt_at LIMIT {LOOKED_AT}) pending) due
     WHERE endpoint.merchant_id = %(merchant)s AND endpoint.deleted_at IS NULL
       AND (%(only)s::varchar IS NULL OR endpoint.id = %(only)s)
"""


@dataclass(frozen=True, slots=True)
class Health:
    """The health of one endpoint. Attempts, times and the last failure are of the last 24 hours, of at most 1,000
    deliveries.

    `failure` is a status or a code of `webhooks.client.AttemptFailure`. `waiting` is capped at 1,000.
    """

    tried: int
    succeeded: int
    p95_ms: int | None
    failed_at: datetime | None
    failure: str | None
    waiting: int
    next_attempt_at: datetime | None

    @property
    def success_rate(self) -> int | None:
        """Per cent, rounded down: 100 only if nothing failed."""
        return 100 * self.succeeded // self.tried if self.tried else None

    @property
    def has_many_waiting(self) -> bool:
        return self.waiting >= LOOKED_AT


def health(merchant: Merchant, only: str | None = None) -> dict[str, Health]:
    """Endpoint id → health, of all the merchant's endpoints or of one."""
    asked = {"merchant": merchant.pk, "only": only, "since": utcnow() - PERIOD}
    with connection.cursor() as cursor:
        cursor.execute(_HEALTH, asked)
        return {row[0]: Health(*row[1:]) for row in cursor.fetchall()}


def switched_off_at(endpoint: Endpoint) -> datetime | None:
    """When a failing endpoint will be disabled unless a delivery succeeds.

    None for a healthy endpoint, and for one that only started to fail.
    """
    since = endpoint.failing_since
    if endpoint.status != Endpoint.Status.ACTIVE or since is None:
        return None
    fails = endpoint.failures >= OPENS_AT or since <= utcnow() - A_WHILE
    return since + DISABLED_AFTER if fails else None
