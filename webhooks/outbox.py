"""The outbox: an event and its deliveries are written in the transaction of the change they report."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from accounts.base import tracing
from accounts.base.clock import utcnow
from accounts.base.ids import earliest, new_id
from accounts.base.rows import Statement, execute, table
from accounts.base.wire import dumps, timestamp
from accounts.models import Merchant
from webhooks import chaos
from webhooks.kinds import EVERYTHING, KINDS
from webhooks.models import Delivery, Endpoint, Event

PENDING = Delivery.Status.PENDING
ACTIVE = Endpoint.Status.ACTIVE
LATELY = timedelta(days=1)
"""Longer than clocks are apart: no older event has a sequence of today. So only the newest ranges are asked."""
# No function in it is STABLE, as even convert_to is: Citus rewrites an INSERT … SELECT wrongly that has one.
# A delivery's id is a ULID too: the event's time, then 64 bits of a digest unique to event and endpoint.
_EMIT = f"""
    WITH event AS (
        INSERT INTO {table(Event)} (id, merchant_id, type, object_id, sequence, body, occurred_at, created_at,
                                    xid, request_id)
        SELECT %(id)s, %(merchant)s, %(type)s, %(object)s, next.sequence,
               %(head)s::bytea || decode(next.sequence::text, 'escape') || %(tail)s::bytea, %(occurred_at)s, %(now)s,
               next.xid, %(request)s
          FROM (SELECT greatest(last.sequence + 1, %(at_least)s::bigint) AS sequence, last.xid
                  FROM (SELECT) one LEFT JOIN (
                       SELECT sequence, xid FROM {table(Event)}
                        WHERE object_id = %(object)s AND id >= %(lately)s
                        ORDER BY sequence DESC LIMIT 1) last ON true) next
        RETURNING id, object_id, sequence, created_at
    ), delivery AS (
        INSERT INTO {table(Delivery)} (id, event_id, endpoint_id, status, attempts, next_attempt_at, is_retried,
                                       asked_for, object_id, sequence, created_at)
        SELECT 'dlv_' || substr(event.id, 5, 10) || upper(substr(md5(event.id || endpoint.id), 1, 16)),
               event.id, endpoint.id, '{PENDING}', 0, event.created_at, NOT %(is_test)s::boolean,
               %(is_test)s::boolean, event.object_id, event.sequence, event.created_at
          FROM event, {table(Endpoint)} endpoint
         WHERE endpoint.merchant_id = %(merchant)s AND endpoint.status = '{ACTIVE}'
           AND CASE WHEN %(is_test)s::boolean THEN endpoint.id = %(only)s::varchar
                    ELSE endpoint.events && %(wanted)s::varchar[] END
    )
    SELECT FROM event
"""


def emit(
    merchant: Merchant, kind: str, object_id: str, data: Mapping[str, Any], at: datetime, *, only: str | None = None
) -> str:
    """Writes an event for every active endpoint that subscribes to it; returns its id.

    `only`: one endpoint gets a test event, whatever it subscribes to, and without retries. `data` is the resource
    as its GET returns it, without fields that only the payer's browser may see. `at` is when it happened, by the
    merchant's clock. The bytes are fixed here and signed as stored (contract §13.2).

    `sequence` increases with each event of an object, whose row the caller has locked. It starts with the current
    milliseconds, so that it increases even if older events have been deleted.

    `xid` is the order in which events are followed. It is never less than the transaction's own, so that nothing is
    added to what was told once all older transactions have ended. Nor is it less than that of an earlier event of the
    object, or of any event that could be seen when this one was written.
    """
    event_id = new_id("evt")
    execute(*_emitting(event_id, merchant, kind, object_id, data, at, only))
    if only is None and chaos.is_disturbed(merchant):
        chaos.disturb(event_id, kind)
    return event_id


def emitting(merchant: Merchant, kind: str, object_id: str, data: Mapping[str, Any], at: datetime) -> Statement:
    """What `emit` asks PostgreSQL, for who asks several things at once. Not for a merchant in chaos mode."""
    assert not chaos.is_disturbed(merchant)
    return _emitting(new_id("evt"), merchant, kind, object_id, data, at, None)


def _emitting(
    event_id: str,
    merchant: Merchant,
    kind: str,
    object_id: str,
    data: Mapping[str, Any],
    at: datetime,
    only: str | None,
) -> Statement:
    assert kind in KINDS, kind
    now = utcnow()
    known = dumps(
        {
            "id": event_id,
            "type": kind,
            "timestamp": timestamp(at),
            "apiVersion": "v2",
            "environment": merchant.environment,
            "companyId": merchant.company_id,
        }
    )
    return _EMIT, {
        "id": event_id,
        "merchant": merchant.pk,
        "type": kind,
        "object": object_id,
        "head": known[:-1] + b',"sequence":',
        "tail": b',"data":' + dumps(data) + b"}",
        "lately": earliest("evt", now - LATELY),
        "at_least": int(now.timestamp() * 1000),
        "occurred_at": at,
        "now": now,
        "wanted": [kind, EVERYTHING],
        "only": only,
        "is_test": only is not None,
        "request": tracing.request_id(),
    }
