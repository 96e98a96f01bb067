"""Retention: events and deliveries are kept for thirty days (contract §13.4) and deleted in small batches."""

from datetime import timedelta

from accounts.base.clock import utcnow
from accounts.base.ids import earliest
from accounts.base.rows import execute, table
from webhooks.models import Attempt, Delivery, Event

KEPT_FOR = timedelta(days=30)
BATCH = 1000

# Ids start with a time, so the primary key finds old rows. A delivery's id has the time of its event.
_FORGET = (
    f"""
    WITH old AS (SELECT id FROM {table(Delivery)} WHERE id < %(delivery)s ORDER BY id LIMIT %(batch)s),
         tries AS (DELETE FROM {table(Attempt)} WHERE delivery_id IN (SELECT id FROM old))
    DELETE FROM {table(Delivery)} WHERE id IN (SELECT id FROM old)
    """,
    f"""
    DELETE FROM {table(Event)} WHERE id IN (
        SELECT id FROM {table(Event)} old WHERE id < %(event)s
           AND NOT EXISTS (SELECT FROM {table(Delivery)} WHERE event_id = old.id) ORDER BY id LIMIT %(batch)s)
    """,
)


def forget_old() -> int:
    """Deletes older rows, one batch per transaction; returns the number of deliveries and events."""
    moment = utcnow() - KEPT_FOR
    params = {"delivery": earliest("dlv", moment), "event": earliest("evt", moment), "batch": BATCH}
    forgotten = 0
    for statement in _FORGET:
        while True:
            deleted = execute(statement, params)
            forgotten += deleted
            if deleted < BATCH:
                break
    return forgotten
