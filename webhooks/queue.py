"""The delivery queue: due rows are claimed with FOR UPDATE SKIP LOCKED, and results are recorded."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection, transaction

from accounts.base.clock import utcnow
from accounts.base.rows import table
from accounts.base.sealing import unseal
from accounts.models import Merchant
from webhooks import notices
from webhooks.client import AttemptResponse, is_loopback_allowed
from webhooks.disturbances import EXTRA
from webhooks.holds import LOST
from webhooks.lifecycle import DELIVERY_LIFE, DeliveryAction
from webhooks.models import Attempt, Delivery, Endpoint, Event
from webhooks.schedule import next_attempt_after, requested_wait_s

LEASE_S = 40
"""Longer than an attempt can take: without a result by then the attempt is considered lost, also while the process that
claimed it keeps its hold (`holds`).
"""
AT_ONCE = 8
"""Concurrent attempts at one endpoint."""
IN_HAND = 128
IN_HAND_OF_MERCHANT = 512
"""Deliveries in flight to a healthy endpoint, or to all endpoints of a merchant. The merchant with the fewest is served
first. Endpoints that fail or are not known to be healthy are limited to AT_ONCE, so a slow one delays no other.
"""
WELL_FOR_S = 60
GONE = 410
OPENS_AT = 5
OPEN_S, LONGEST_OPEN_S = 30, 15 * 60
"""This many failures in a row pause an endpoint for this long; then one attempt probes it."""

PENDING = Delivery.Status.PENDING
ACTIVE = Endpoint.Status.ACTIVE
DISABLED = Endpoint.Status.DISABLED
_LOST = "(SELECT ids FROM lost)"
# The first attempt of a requested delivery ignores an open breaker and does not wait for earlier events.
_CLAIM = f"""
    WITH lost AS MATERIALIZED (
        SELECT ARRAY({LOST}) AS ids
    ), leased AS (
        SELECT endpoint_id, count(*) AS n FROM {table(Delivery)}
         WHERE leased_until IS NOT NULL AND leased_until > statement_timestamp()
           AND lease <> ALL ({_LOST}::uuid[]) GROUP BY endpoint_id
    ), busy AS (
        SELECT endpoint.merchant_id, sum(leased.n) AS n
          FROM leased JOIN {table(Endpoint)} endpoint ON endpoint.id = leased.endpoint_id GROUP BY 1
    ), fair AS (
        SELECT next.id, endpoint.merchant_id, coalesce(busy.n, 0)
               + row_number() OVER (PARTITION BY endpoint.merchant_id ORDER BY next.place, random()) AS turn
          FROM {table(Endpoint)} endpoint
          LEFT JOIN leased ON leased.endpoint_id = endpoint.id
          LEFT JOIN busy ON busy.merchant_id = endpoint.merchant_id
         CROSS JOIN LATERAL (
            SELECT id, row_number() OVER (ORDER BY next_attempt_at, id) AS place FROM (
                SELECT one.id, one.next_attempt_at FROM {table(Delivery)} one
                 WHERE one.endpoint_id = endpoint.id AND one.status = '{PENDING}'
                   AND one.next_attempt_at <= statement_timestamp()
                   AND (one.leased_until IS NULL OR one.leased_until <= statement_timestamp()
                        OR one.lease = ANY ({_LOST}::uuid[]))
                   AND (one.disturbance IS NULL OR one.is_retried OR endpoint.disturbed_until > statement_timestamp())
                   AND (coalesce(endpoint.open_until <= statement_timestamp(), true)
                        OR one.asked_for AND one.attempts = 0)
                   AND (one.asked_for AND one.attempts = 0 OR NOT EXISTS (
                       SELECT FROM {table(Delivery)} earlier
                        WHERE earlier.endpoint_id = endpoint.id AND earlier.status = '{PENDING}'
                          AND earlier.object_id = one.object_id AND earlier.sequence < one.sequence
                          AND (earlier.attempts = 0 OR earlier.leased_until > statement_timestamp()
                               AND earlier.lease <> ALL ({_LOST}::uuid[]))))
                 ORDER BY one.next_attempt_at, one.id
                 LIMIT greatest(0, - coalesce(leased.n, 0) + CASE
                       WHEN endpoint.failures >= %(opens_at)s THEN 1
                       WHEN endpoint.failures = 0
                        AND endpoint.last_success_at > statement_timestamp() - %(well_for)s * interval '1 second'
                       THEN %(in_hand)s ELSE %(at_once)s END)
                   FOR UPDATE SKIP LOCKED) oldest) next
         WHERE endpoint.status = '{ACTIVE}'
           AND (coalesce(endpoint.open_until <= statement_timestamp(), true) OR EXISTS (
                SELECT FROM {table(Delivery)} asked
                 WHERE asked.endpoint_id = endpoint.id AND asked.status = '{PENDING}' AND asked.asked_for
                   AND asked.attempts = 0))
           AND endpoint.id IN (
            SELECT endpoint_id FROM {table(Delivery)}
             WHERE status = '{PENDING}' AND next_attempt_at <= statement_timestamp())
    ), due AS (
        SELECT id FROM fair WHERE turn <= %(per_merchant)s ORDER BY turn, random() LIMIT %(limit)s
    ), claimed AS (
        UPDATE {table(Delivery)} delivery
           SET attempts = attempts + 1, lease = %(token)s,
               leased_until = statement_timestamp() + %(lease)s * interval '1 second'
          FROM due WHERE delivery.id = due.id
        RETURNING delivery.id, delivery.event_id, delivery.endpoint_id, delivery.attempts, delivery.lease,
                  delivery.is_retried, delivery.disturbance
    )
    SELECT claimed.id, claimed.lease, claimed.attempts, event.id, event.type, event.body, endpoint.id, endpoint.url,
           merchant.id, merchant.environment, endpoint.sealed_secret, endpoint.sealed_previous_secret,
           endpoint.previous_secret_expires_at, claimed.is_retried, claimed.disturbance, event.request_id
      FROM claimed JOIN {table(Event)} event ON event.id = claimed.event_id
      JOIN {table(Endpoint)} endpoint ON endpoint.id = claimed.endpoint_id
      JOIN {table(Merchant)} merchant ON merchant.id = endpoint.merchant_id
"""

# Deliveries that were not attempted are restored to their state before the claim.
_GIVE_BACK = f"""
    UPDATE {table(Delivery)} delivery SET attempts = attempts - 1, leased_until = NULL, lease = NULL
      FROM unnest(%s::varchar[], %s::uuid[], %s::smallint[]) AS untried(id, lease, attempt)
     WHERE delivery.id = untried.id AND delivery.lease = untried.lease AND delivery.attempts = untried.attempt
       AND delivery.status = '{PENDING}'
"""

_ATTEMPTS = f"""
    INSERT INTO {table(Attempt)} (delivery_id, number, started_at, elapsed_ms, http_status, error, excerpt)
    SELECT * FROM unnest(%s::varchar[], %s::smallint[], %s::timestamptz[], %s::int[], %s::smallint[], %s::varchar[],
                         %s::text[]) AS made(delivery_id, number, started_at, elapsed_ms, http_status, error, excerpt)
     WHERE EXISTS (SELECT FROM {table(Delivery)} delivery WHERE delivery.id = made.delivery_id)
    ON CONFLICT (delivery_id, number) DO NOTHING
"""

# Only the lease holder decides, and by its latest attempt: a late result of a worker presumed dead changes nothing.
_OUTCOMES = f"""
    UPDATE {table(Delivery)} delivery
       SET status = made.status, next_attempt_at = made.next_at, leased_until = NULL, lease = NULL,
           http_status = made.http_status, error = made.error, delivered_at = made.delivered_at
      FROM unnest(%s::varchar[], %s::uuid[], %s::smallint[], %s::varchar[], %s::timestamptz[], %s::smallint[],
                  %s::varchar[], %s::timestamptz[])
        AS made(id, lease, attempt, status, next_at, http_status, error, delivered_at)
     WHERE delivery.id = made.id AND delivery.lease = made.lease AND delivery.attempts = made.attempt
       AND delivery.status = '{PENDING}'
    RETURNING delivery.id
"""

# A success closes the breaker. Consecutive failures open it: for half a minute, then twice as long each time.
_ENDPOINTS = f"""
    UPDATE {table(Endpoint)} endpoint
       SET last_delivery_at = greatest(last_delivery_at, made.tried_at),
           last_success_at = greatest(last_success_at, made.succeeded_at),
           failures = CASE WHEN made.succeeded_at IS NULL THEN least(failures + made.failed, 1000000) ELSE 0 END,
           failing_since = CASE WHEN made.succeeded_at IS NULL THEN coalesce(failing_since, made.tried_at) END,
           warned_at = CASE WHEN made.succeeded_at IS NULL THEN warned_at END,
           pauses = CASE WHEN made.succeeded_at IS NOT NULL THEN 0
                         WHEN failures + made.failed >= %(opens_at)s AND coalesce(open_until <= made.tried_at, true)
                         THEN least(pauses + 1, 20) ELSE pauses END,
           open_until = CASE WHEN made.succeeded_at IS NOT NULL THEN NULL
                             WHEN failures + made.failed >= %(opens_at)s AND coalesce(open_until <= made.tried_at, true)
                             THEN statement_timestamp()
                                  + least(%(longest)s, %(open)s * 2 ^ pauses) * interval '1 second'
                             ELSE open_until END,
           status = CASE WHEN made.gone AND status = '{ACTIVE}' THEN '{DISABLED}' ELSE status END,
           disabled_reason = CASE WHEN made.gone AND status = '{ACTIVE}' THEN '{Endpoint.DisabledReason.GONE}'
                                  ELSE disabled_reason END
      FROM (SELECT id, max(tried_at) AS tried_at, max(succeeded_at) AS succeeded_at, bool_or(gone) AS gone,
                   count(*) FILTER (WHERE succeeded_at IS NULL) AS failed
              FROM unnest(%(ids)s::varchar[], %(tried)s::timestamptz[], %(succeeded)s::timestamptz[],
                          %(gone)s::boolean[])
                AS one(id, tried_at, succeeded_at, gone) GROUP BY id) made
     WHERE endpoint.id = made.id
"""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claimed delivery with everything that an attempt needs."""

    id: str
    lease: UUID
    attempt: int
    event_id: str
    event_type: str
    body: bytes
    endpoint_id: str
    url: str
    merchant_id: int
    loopback_allowed: bool
    sealed_secrets: tuple[bytes, ...]
    is_retried: bool = True
    disturbance: str | None = None
    request_id: str = ""

    @property
    def counts(self) -> bool:
        """Whether its result says something about the endpoint: what was only meant to disturb does not."""
        return self.disturbance not in EXTRA

    def secrets(self) -> list[str]:
        """Decrypted, newest first. Raises cryptography's InvalidToken if none of our keys opens them."""
        return [_opened(sealed) for sealed in self.sealed_secrets]


@lru_cache(maxsize=1024)
def _opened(sealed: bytes) -> str:
    """Cached: a thousand events to one endpoint decrypt its secret once."""
    return unseal(sealed).decode()


@dataclass(frozen=True, slots=True)
class Tried:
    """A delivery and the result of its attempt."""

    claimed: Claimed
    started_at: datetime
    answer: AttemptResponse


def claim(limit: int, hold: UUID | None = None) -> list[Claimed]:
    """Claims up to `limit` due deliveries, oldest first per endpoint, for the time of the lease.

    What is claimed under a hold is free again when the hold is lost.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _CLAIM,
            {
                "at_once": AT_ONCE,
                "in_hand": IN_HAND,
                "well_for": WELL_FOR_S,
                "per_merchant": IN_HAND_OF_MERCHANT,
                "opens_at": OPENS_AT,
                "limit": limit,
                "lease": LEASE_S,
                "token": hold or uuid4(),
            },
        )
        rows = cursor.fetchall()
    now = utcnow()
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
            merchant_id=merchant,
            loopback_allowed=is_loopback_allowed(environment),
            sealed_secrets=(bytes(sealed), bytes(previous)) if expires and expires > now else (bytes(sealed),),
            is_retried=is_retried,
            disturbance=disturbance,
            request_id=request,
        )
        for (
            delivery,
            lease,
            attempt,
            event,
            kind,
            body,
            endpoint,
            url,
            merchant,
            environment,
            sealed,
            previous,
            expires,
            is_retried,
            disturbance,
            request,
        ) in rows
    ]


def give_back(untried: Sequence[Claimed]) -> None:
    """Releases claimed deliveries that were not attempted; they are claimed again when the endpoint is healthy."""
    if untried:
        with connection.cursor() as cursor:
            cursor.execute(
                _GIVE_BACK,
                [[one.id for one in untried], [one.lease for one in untried], [one.attempt for one in untried]],
            )


def record(tried: Sequence[Tried]) -> None:
    """Records the results: delivered, rescheduled, or failed for good."""
    if not tried:
        return
    answers = [one.answer for one in tried]
    statuses = [answer.status for answer in answers]
    errors = [str(answer.error) if answer.error else None for answer in answers]
    started = [one.started_at for one in tried]
    succeeded = [_succeeded_at(one) for one in tried]
    next_at = [_next_attempt(one) for one in tried]
    outcomes = [_outcome(one, due) for one, due in zip(tried, next_at, strict=True)]
    ids = [one.claimed.id for one in tried]
    made = [one.claimed.attempt for one in tried]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            _ATTEMPTS,
            [
                ids,
                made,
                started,
                [answer.elapsed_ms for answer in answers],
                statuses,
                errors,
                [answer.excerpt for answer in answers],
            ],
        )
        cursor.execute(
            _OUTCOMES,
            [ids, [one.claimed.lease for one in tried], made, outcomes, next_at, statuses, errors, succeeded],
        )
        decided = {row[0] for row in cursor.fetchall()}
        counted = [one for one in tried if one.claimed.counts and one.claimed.id in decided]
        gone = [one.claimed.endpoint_id for one in counted if one.answer.status == GONE]
        switched_off = _active(gone) if gone else []
        cursor.execute(
            _ENDPOINTS,
            {
                "opens_at": OPENS_AT,
                "longest": LONGEST_OPEN_S * settings.WEBHOOK_TIME_SCALE,
                "open": OPEN_S * settings.WEBHOOK_TIME_SCALE,
                "ids": [one.claimed.endpoint_id for one in counted],
                "tried": [one.started_at for one in counted],
                "succeeded": [_succeeded_at(one) for one in counted],
                "gone": [one.answer.status == GONE for one in counted],
            },
        )
        notices.gone(switched_off)


def _succeeded_at(tried: Tried) -> datetime | None:
    return tried.started_at if tried.answer.is_success else None


def _outcome(tried: Tried, next_at: datetime | None) -> str:
    """The status of the delivery after this attempt."""
    action = DeliveryAction.FAIL if next_at else DeliveryAction.GIVE_UP
    if tried.answer.is_success:
        action = DeliveryAction.SUCCEED
    return DELIVERY_LIFE.transition(action, Delivery.Status.PENDING).target


def _active(endpoint_ids: Sequence[str]) -> list[str]:
    """The active ones among the endpoints, locked until the transaction ends."""
    rows = Endpoint.objects.select_for_update(no_key=True).filter(pk__in=endpoint_ids, status=Endpoint.Status.ACTIVE)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def _next_attempt(tried: Tried) -> datetime | None:
    """When to retry; None after a success and after the last attempt."""
    answer = tried.answer
    if answer.is_success or not tried.claimed.is_retried:
        return None
    now = utcnow()
    asked = requested_wait_s(answer.status, answer.retry_after, now)
    delay = next_attempt_after(tried.claimed.attempt, asked, random.random(), settings.WEBHOOK_TIME_SCALE)
    return now + delay if delay is not None else None
