"""The delivery queue: due rows are claimed with FOR UPDATE SKIP LOCKED, and results are recorded."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID, uuid4

import orjson
from django.conf import settings
from django.db import transaction

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.base.rows import every, execute, table
from accounts.base.sealing import unseal
from accounts.cells import staying
from accounts.models import Merchant
from webhooks import notices
from webhooks.client import AttemptResponse, is_loopback_allowed
from webhooks.disturbances import EXTRA
from webhooks.holds import LOST
from webhooks.lifecycle import DELIVERY_LIFE, DeliveryAction
from webhooks.models import Attempt, Delivery, Endpoint, Event
from webhooks.schedule import next_attempt_after, requested_wait_s

O = TypeVar("O")  # noqa: E741

LEASE_S = 40
"""Longer than an attempt can take: without a result by then the attempt is considered lost, also while the process that
claimed it keeps its hold (`holds`).
"""
AT_ONCE = 8
"""Concurrent attempts at one endpoint."""
IN_HAND = 64
IN_HAND_IF_QUICK = 256
IN_HAND_OF_MERCHANT = 1024
"""Deliveries in flight to a healthy endpoint, to one that also answers quickly, and to all of a merchant, which share
them. The merchant with the fewest is served first. Endpoints that fail or are not known to be healthy are limited to
AT_ONCE, so a slow one delays no other.
"""
WELL_FOR_S = 60
GONE = 410
OPENS_AT = 5
OPEN_S, LONGEST_OPEN_S = 30, 15 * 60
"""This many failures in a row pause an endpoint for this long; then one attempt probes it."""

_OPENS = "failures + told.failed >= %(opens_at)s AND coalesce(open_until <= told.tried_at, true)"
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
    ), asking AS (
        SELECT *, count(*) FILTER (WHERE is_well) OVER (PARTITION BY merchant_id) AS well FROM (
            SELECT endpoint.*, failures = 0 AND coalesce(
                   last_success_at > statement_timestamp() - %(well_for)s * interval '1 second', false) AS is_well
              FROM {table(Endpoint)} endpoint
             WHERE status = '{ACTIVE}'
               AND (coalesce(open_until <= statement_timestamp(), true) OR EXISTS (
                    SELECT FROM {table(Delivery)} asked
                     WHERE asked.endpoint_id = endpoint.id AND asked.status = '{PENDING}' AND asked.asked_for
                       AND asked.attempts = 0))
               AND id IN (
                SELECT endpoint_id FROM {table(Delivery)}
                 WHERE status = '{PENDING}' AND next_attempt_at <= statement_timestamp())) due
    ), fair AS (
        SELECT next.id, endpoint.merchant_id, coalesce(busy.n, 0)
               + row_number() OVER (PARTITION BY endpoint.merchant_id ORDER BY next.place, random()) AS turn
          FROM asking endpoint
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
                       WHEN endpoint.is_well
                       THEN greatest(%(at_once)s, least(%(per_merchant)s / endpoint.well,
                            CASE WHEN endpoint.id = ANY (%(quick)s::varchar[]) THEN %(if_quick)s ELSE %(in_hand)s END))
                       ELSE %(at_once)s END)
                   FOR UPDATE SKIP LOCKED) oldest) next
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
           endpoint.merchant_id, endpoint.sealed_secret, endpoint.sealed_previous_secret,
           endpoint.previous_secret_expires_at, claimed.is_retried, claimed.disturbance, event.request_id
      FROM claimed JOIN {table(Event)} event ON event.id = claimed.event_id
      JOIN {table(Endpoint)} endpoint ON endpoint.id = claimed.endpoint_id
     ORDER BY claimed.id
"""
_ENVIRONMENTS = f"SELECT id, environment FROM {table(Merchant)} WHERE id = ANY(%s)"

# Deliveries that were not attempted are restored to their state before the claim.
_GIVE_BACK = f"""
    UPDATE {table(Delivery)} delivery SET attempts = attempts - 1, leased_until = NULL, lease = NULL
      FROM unnest(%s::varchar[], %s::uuid[], %s::smallint[]) AS untried(id, lease, attempt)
     WHERE delivery.id = untried.id AND delivery.lease = untried.lease AND delivery.attempts = untried.attempt
       AND delivery.status = '{PENDING}'
"""

# Only the lease holder decides, and by its latest attempt: a late result of a worker presumed dead is kept as an
# attempt and changes nothing else. A success closes the breaker of an endpoint. Consecutive failures open it: for half
# a minute, then twice as long each time. Answers with the endpoints that were active and have gone.
_RECORD = f"""
    WITH made AS MATERIALIZED (
        SELECT * FROM json_to_recordset(%(tried)s::json) AS made(
               id varchar, lease uuid, attempt smallint, tried_at timestamptz, elapsed_ms int, http_status smallint,
               error varchar, excerpt text, status varchar, next_at timestamptz, succeeded_at timestamptz,
               endpoint_id varchar, counts boolean)
    ), kept AS (
        INSERT INTO {table(Attempt)} (delivery_id, number, started_at, elapsed_ms, http_status, error, excerpt)
        SELECT made.id, attempt, tried_at, elapsed_ms, made.http_status, made.error, excerpt
          FROM made JOIN {table(Delivery)} delivery ON delivery.id = made.id
        ON CONFLICT (delivery_id, number) DO NOTHING
    ), decided AS (
        UPDATE {table(Delivery)} delivery
           SET status = made.status, next_attempt_at = made.next_at, leased_until = NULL, lease = NULL,
               http_status = made.http_status, error = made.error, delivered_at = made.succeeded_at
          FROM made
         WHERE delivery.id = made.id AND delivery.lease = made.lease AND delivery.attempts = made.attempt
           AND delivery.status = '{PENDING}'
        RETURNING delivery.id
    ), told AS (
        SELECT endpoint_id AS id, max(tried_at) AS tried_at, max(succeeded_at) AS succeeded_at,
               bool_or(http_status = {GONE}) AS gone, count(*) FILTER (WHERE succeeded_at IS NULL) AS failed
          FROM made JOIN decided USING (id) WHERE counts GROUP BY endpoint_id
    ), held AS MATERIALIZED (
        SELECT * FROM (
            SELECT endpoint.id, endpoint.status, statement_timestamp()
                   + least(%(longest)s, %(open)s * 2 ^ endpoint.pauses) * interval '1 second' AS opens_until
              FROM {table(Endpoint)} endpoint JOIN told USING (id)
             ORDER BY endpoint.id FOR NO KEY UPDATE OF endpoint) locked
    ), known AS (
        UPDATE {table(Endpoint)} endpoint
           SET last_delivery_at = greatest(last_delivery_at, told.tried_at),
               last_success_at = greatest(last_success_at, told.succeeded_at),
               failures = CASE WHEN told.succeeded_at IS NULL THEN least(failures + told.failed, 1000000) ELSE 0 END,
               failing_since = CASE WHEN told.succeeded_at IS NULL THEN coalesce(failing_since, told.tried_at) END,
               warned_at = CASE WHEN told.succeeded_at IS NULL THEN warned_at END,
               pauses = CASE WHEN told.succeeded_at IS NOT NULL THEN 0
                             WHEN {_OPENS} THEN least(pauses + 1, 20) ELSE pauses END,
               open_until = CASE WHEN told.succeeded_at IS NOT NULL THEN NULL
                                 WHEN {_OPENS} THEN held.opens_until ELSE open_until END,
               status = CASE WHEN told.gone AND endpoint.status = '{ACTIVE}' THEN '{DISABLED}'
                             ELSE endpoint.status END,
               disabled_reason = CASE WHEN told.gone AND endpoint.status = '{ACTIVE}'
                                      THEN '{Endpoint.DisabledReason.GONE}' ELSE disabled_reason END
          FROM told JOIN held USING (id) WHERE endpoint.id = told.id
        RETURNING endpoint.id, told.gone AND held.status = '{ACTIVE}' AS has_gone
    )
    SELECT coalesce(array_agg(id ORDER BY id) FILTER (WHERE has_gone), '{{}}') FROM known
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


def claim(limit: int, hold: UUID | None = None, quick: Iterable[str] = ()) -> list[Claimed]:
    """Claims up to `limit` due deliveries of this cell, oldest first per endpoint, for the time of the lease.

    What is claimed under a hold is free again when the hold is lost. `quick`: the ids of endpoints that answer quickly.
    """
    asked = {
        "at_once": AT_ONCE,
        "in_hand": IN_HAND,
        "quick": [*quick],
        "if_quick": IN_HAND_IF_QUICK,
        "well_for": WELL_FOR_S,
        "per_merchant": IN_HAND_OF_MERCHANT,
        "opens_at": OPENS_AT,
        "limit": limit,
        "lease": LEASE_S,
        "token": hold or uuid4(),
    }
    found, now = every(_CLAIM, asked), utcnow()
    environments = _environments({row[8] for row in found})
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
            loopback_allowed=is_loopback_allowed(environments.get(merchant, "")),
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
            sealed,
            previous,
            expires,
            is_retried,
            disturbance,
            request,
        ) in found
    ]


def _environments(merchants: set[int]) -> dict[int, str]:
    """Those of the merchants, as far as they matter: where the service runs locally."""
    return dict(every(_ENVIRONMENTS, [list(merchants)])) if settings.LOCAL and merchants else {}


def by_cell(some: Iterable[O], of: Callable[[O], str]) -> Iterable[tuple[str, list[O]]]:
    """What is together in a statement, with the cell in which it is."""
    found: dict[str, list[O]] = {}
    for one in some:
        found.setdefault(of(one), []).append(one)
    return found.items()


def give_back(untried: Sequence[Claimed]) -> None:
    """Releases claimed deliveries that were not attempted; they are claimed again when the endpoint is healthy."""
    with staying(one.merchant_id for one in untried) as living:
        for cell, some in by_cell(untried, lambda one: living[one.merchant_id]):
            untaken = [[one.id for one in some], [one.lease for one in some], [one.attempt for one in some]]
            with cells.opened(cell):
                execute(_GIVE_BACK, untaken)


def record(tried: Sequence[Tried]) -> None:
    """Records the results of deliveries of this cell: delivered, rescheduled, or failed for good."""
    if not tried:
        return
    asked = {
        "tried": orjson.dumps([_row(one) for one in tried]).decode(),
        "opens_at": OPENS_AT,
        "longest": LONGEST_OPEN_S * settings.WEBHOOK_TIME_SCALE,
        "open": OPEN_S * settings.WEBHOOK_TIME_SCALE,
    }
    with transaction.atomic():
        ((gone,),) = every(_RECORD, asked)
        if gone:
            notices.gone(gone)


def _row(tried: Tried) -> dict[str, Any]:
    """The result as the statement reads it."""
    claimed, answer, next_at = tried.claimed, tried.answer, _next_attempt(tried)
    return {
        "id": claimed.id,
        "lease": claimed.lease,
        "attempt": claimed.attempt,
        "tried_at": tried.started_at,
        "elapsed_ms": answer.elapsed_ms,
        "http_status": answer.status,
        "error": str(answer.error) if answer.error else None,
        "excerpt": answer.excerpt,
        "status": str(_outcome(tried, next_at)),
        "next_at": next_at,
        "succeeded_at": tried.started_at if answer.is_success else None,
        "endpoint_id": claimed.endpoint_id,
        "counts": claimed.counts,
    }


def _outcome(tried: Tried, next_at: datetime | None) -> str:
    """The status of the delivery after this attempt."""
    action = DeliveryAction.FAIL if next_at else DeliveryAction.GIVE_UP
    if tried.answer.is_success:
        action = DeliveryAction.SUCCEED
    return DELIVERY_LIFE.transition(action, Delivery.Status.PENDING).target


def _next_attempt(tried: Tried) -> datetime | None:
    """When to retry; None after a success and after the last attempt."""
    answer = tried.answer
    if answer.is_success or not tried.claimed.is_retried:
        return None
    now = utcnow()
    asked = requested_wait_s(answer.status, answer.retry_after, now)
    delay = next_attempt_after(tried.claimed.attempt, asked, random.random(), settings.WEBHOOK_TIME_SCALE)
    return now + delay if delay is not None else None
