"""The rows as a queue: what is due is claimed with FOR UPDATE SKIP LOCKED, and what came of it is written down."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection, transaction

from accounts.clock import wall
from accounts.models import Environment
from accounts.sealing import unseal
from webhooks.client import Answer
from webhooks.schedule import asked_wait_s, next_attempt_after

LEASE_S = 40
"""Longer than an attempt can take: whoever has not said what came of it by then is taken for dead."""
PER_ENDPOINT = 8
PER_MERCHANT = 32
"""At most so many attempts at once, and whoever has the fewest is served first: a slow endpoint delays no other."""
GONE = 410

_CLAIM = """
    WITH leased AS (
        SELECT endpoint_id, count(*) AS n FROM webhooks_delivery
         WHERE leased_until IS NOT NULL AND leased_until > statement_timestamp() GROUP BY endpoint_id
    ), busy AS (
        SELECT endpoint.merchant_id, sum(leased.n) AS n
          FROM leased JOIN webhooks_endpoint endpoint ON endpoint.id = leased.endpoint_id GROUP BY 1
    ), fair AS (
        SELECT next.id, endpoint.merchant_id, coalesce(busy.n, 0)
               + row_number() OVER (PARTITION BY endpoint.merchant_id ORDER BY next.place, random()) AS turn
          FROM webhooks_endpoint endpoint
          LEFT JOIN leased ON leased.endpoint_id = endpoint.id
          LEFT JOIN busy ON busy.merchant_id = endpoint.merchant_id
         CROSS JOIN LATERAL (
            SELECT id, row_number() OVER (ORDER BY next_attempt_at, id) AS place FROM (
                SELECT id, next_attempt_at FROM webhooks_delivery
                 WHERE endpoint_id = endpoint.id AND status = 'PENDING' AND next_attempt_at <= statement_timestamp()
                   AND (leased_until IS NULL OR leased_until <= statement_timestamp())
                 ORDER BY next_attempt_at, id LIMIT greatest(0, %(per_endpoint)s - coalesce(leased.n, 0))
                   FOR UPDATE SKIP LOCKED) oldest) next
         WHERE endpoint.status = 'ACTIVE' AND endpoint.id IN (
            SELECT endpoint_id FROM webhooks_delivery
             WHERE status = 'PENDING' AND next_attempt_at <= statement_timestamp())
    ), due AS (
        SELECT id FROM fair WHERE turn <= %(per_merchant)s ORDER BY turn, random() LIMIT %(limit)s
    ), claimed AS (
        UPDATE webhooks_delivery delivery
           SET attempts = attempts + 1, lease = %(token)s,
               leased_until = statement_timestamp() + %(lease)s * interval '1 second'
          FROM due WHERE delivery.id = due.id
        RETURNING delivery.id, delivery.event_id, delivery.endpoint_id, delivery.attempts, delivery.lease
    )
    SELECT claimed.id, claimed.lease, claimed.attempts, event.id, event.type, event.body, endpoint.id, endpoint.url,
           merchant.environment, endpoint.sealed_secret, endpoint.sealed_previous_secret,
           endpoint.previous_secret_expires_at
      FROM claimed JOIN webhooks_event event ON event.id = claimed.event_id
      JOIN webhooks_endpoint endpoint ON endpoint.id = claimed.endpoint_id
      JOIN accounts_merchant merchant ON merchant.id = endpoint.merchant_id
"""

_ATTEMPTS = """
    INSERT INTO webhooks_attempt (delivery_id, number, started_at, elapsed_ms, http_status, error, excerpt)
    SELECT * FROM unnest(%s::varchar[], %s::smallint[], %s::timestamptz[], %s::int[], %s::smallint[], %s::varchar[],
                         %s::text[]) AS made(delivery_id, number, started_at, elapsed_ms, http_status, error, excerpt)
     WHERE EXISTS (SELECT FROM webhooks_delivery delivery WHERE delivery.id = made.delivery_id)
    ON CONFLICT (delivery_id, number) DO NOTHING
"""

# Only the holder of the lease decides: a late result of a worker that was taken for dead changes nothing.
_OUTCOMES = """
    UPDATE webhooks_delivery delivery
       SET status = made.status, next_attempt_at = made.next_at, leased_until = NULL, lease = NULL,
           http_status = made.http_status, error = made.error, delivered_at = made.delivered_at
      FROM unnest(%s::varchar[], %s::uuid[], %s::varchar[], %s::timestamptz[], %s::smallint[], %s::varchar[],
                  %s::timestamptz[]) AS made(id, lease, status, next_at, http_status, error, delivered_at)
     WHERE delivery.id = made.id AND delivery.lease = made.lease AND delivery.status = 'PENDING'
"""

_ENDPOINTS = """
    UPDATE webhooks_endpoint endpoint
       SET last_delivery_at = greatest(last_delivery_at, made.tried_at),
           last_success_at = greatest(last_success_at, made.succeeded_at),
           status = CASE WHEN made.gone AND status = 'ACTIVE' THEN 'DISABLED' ELSE status END,
           disabled_reason = CASE WHEN made.gone AND status = 'ACTIVE' THEN 'GONE' ELSE disabled_reason END
      FROM (SELECT id, max(tried_at) AS tried_at, max(succeeded_at) AS succeeded_at, bool_or(gone) AS gone
              FROM unnest(%s::varchar[], %s::timestamptz[], %s::timestamptz[], %s::boolean[])
                AS one(id, tried_at, succeeded_at, gone) GROUP BY id) made
     WHERE endpoint.id = made.id
"""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery in hand: everything that one attempt needs."""

    id: str
    lease: UUID
    attempt: int
    event_id: str
    event_type: str
    body: bytes
    endpoint_id: str
    url: str
    loopback_allowed: bool
    sealed_secrets: tuple[bytes, ...]

    def secrets(self) -> list[str]:
        """In clear, newest first. Raises cryptography's InvalidToken where no key of ours opens them."""
        return [unseal(sealed).decode() for sealed in self.sealed_secrets]


@dataclass(frozen=True, slots=True)
class Tried:
    """A delivery and what its attempt brought."""

    claimed: Claimed
    started_at: datetime
    answer: Answer


def claim(limit: int) -> list[Claimed]:
    """Takes up to `limit` due deliveries in hand, oldest first at each endpoint, for the time of the lease."""
    with connection.cursor() as cursor:
        cursor.execute(
            _CLAIM,
            {
                "per_endpoint": PER_ENDPOINT,
                "per_merchant": PER_MERCHANT,
                "limit": limit,
                "lease": LEASE_S,
                "token": uuid4(),
            },
        )
        rows = cursor.fetchall()
    now = wall()
    return [
        Claimed(
            id=delivery,
            lease=lease,
            attempt=attempt,
            event_id=event,
            event_type=kind,
            body=bytes(body),
            endpoint_id=endpoint,
            url=url,
            loopback_allowed=bool(settings.LOCAL) and environment == Environment.SANDBOX,
            sealed_secrets=(bytes(sealed), bytes(previous)) if expires and expires > now else (bytes(sealed),),
        )
        for delivery, lease, attempt, event, kind, body, endpoint, url, environment, sealed, previous, expires in rows
    ]


def record(tried: Sequence[Tried]) -> None:
    """Writes down what came of the attempts: delivered, due again by the schedule, or failed for good."""
    if not tried:
        return
    answers = [one.answer for one in tried]
    statuses = [answer.status for answer in answers]
    errors = [str(answer.error) if answer.error else None for answer in answers]
    started = [one.started_at for one in tried]
    succeeded = [one.started_at if one.answer.is_success else None for one in tried]
    next_at = [_next_attempt(one) for one in tried]
    outcomes = [
        "DELIVERED" if one.answer.is_success else "PENDING" if due else "FAILED"
        for one, due in zip(tried, next_at, strict=True)
    ]
    ids = [one.claimed.id for one in tried]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            _ATTEMPTS,
            [
                ids,
                [one.claimed.attempt for one in tried],
                started,
                [answer.elapsed_ms for answer in answers],
                statuses,
                errors,
                [answer.excerpt for answer in answers],
            ],
        )
        cursor.execute(
            _OUTCOMES,
            [ids, [one.claimed.lease for one in tried], outcomes, next_at, statuses, errors, succeeded],
        )
        cursor.execute(
            _ENDPOINTS,
            [
                [one.claimed.endpoint_id for one in tried],
                started,
                succeeded,
                [status == GONE for status in statuses],
            ],
        )


def _next_attempt(tried: Tried) -> datetime | None:
    """When to try again; None after a success and after the last attempt."""
    answer = tried.answer
    if answer.is_success:
        return None
    now = wall()
    asked = asked_wait_s(answer.status, answer.retry_after, now)
    delay = next_attempt_after(tried.claimed.attempt, asked, random.random(), settings.WEBHOOK_TIME_SCALE)
    return now + delay if delay is not None else None
