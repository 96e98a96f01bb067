"""The outbox: an event and its deliveries are written with the change that they announce, or not at all."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from accounts.clock import wall
from accounts.ids import new_id
from accounts.models import Merchant
from accounts.rows import execute
from accounts.wire import dumps, timestamp
from webhooks.kinds import EVERYTHING, KINDS

# A delivery's id is a ULID too: the event's time, then 64 bits of a digest that no other pair has.
_EMIT = """
    WITH event AS (
        INSERT INTO webhooks_event (id, merchant_id, type, object_id, body, occurred_at, created_at)
        VALUES (%(id)s, %(merchant)s, %(type)s, %(object)s, %(body)s, %(occurred_at)s, %(now)s)
        RETURNING id, created_at
    )
    INSERT INTO webhooks_delivery (id, event_id, endpoint_id, status, attempts, next_attempt_at, created_at)
    SELECT 'dlv_' || substr(event.id, 5, 10) || upper(substr(md5(event.id || endpoint.id), 1, 16)),
           event.id, endpoint.id, 'PENDING', 0, event.created_at, event.created_at
      FROM event, webhooks_endpoint endpoint
     WHERE endpoint.merchant_id = %(merchant)s AND endpoint.status = 'ACTIVE'
       AND endpoint.events && %(wanted)s::varchar[]
"""


def emit(merchant: Merchant, kind: str, object_id: str, data: Mapping[str, Any], at: datetime) -> str:
    """Writes the event down for every active endpoint that wants it; returns its id.

    `data` is the resource as its GET returns it, without anything that only the payer's browser may see. `at` is
    when it happened, by the merchant's clock. The bytes are fixed here and signed as stored (contract §13.2).
    """
    assert kind in KINDS, kind
    event_id = new_id("evt")
    body = dumps(
        {
            "id": event_id,
            "type": kind,
            "timestamp": timestamp(at),
            "apiVersion": "v2",
            "environment": merchant.environment,
            "companyId": merchant.company_id,
            "data": data,
        }
    )
    execute(
        _EMIT,
        {
            "id": event_id,
            "merchant": merchant.pk,
            "type": kind,
            "object": object_id,
            "body": body,
            "occurred_at": at,
            "now": wall(),
            "wanted": [kind, EVERYTHING],
        },
    )
    return event_id
