"""Reads of endpoints and events. The first argument is always the merchant."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.models import Prefetch, QuerySet

from accounts.base.ids import earliest, is_well_formed, made_at
from accounts.base.listing import newest
from accounts.base.rows import columns, load, table
from accounts.models import Merchant
from webhooks.errors import DeliveryUnknown, EndpointUnknown, EventUnknown
from webhooks.models import Delivery, Endpoint, Event
from webhooks.order import COMPLETE_BELOW


def endpoints(merchant: Merchant) -> QuerySet[Endpoint]:
    """The merchant's endpoints, newest first, without deleted ones."""
    return Endpoint.objects.filter(merchant=merchant, deleted_at=None).order_by("-created_at", "-id")


def endpoint(merchant: Merchant, endpoint_id: str) -> Endpoint:
    """Raises ONP404_WEBHOOK, also for another merchant's endpoint."""
    found = endpoints(merchant).filter(pk=endpoint_id).first() if is_well_formed(endpoint_id) else None
    if found is None:
        raise EndpointUnknown
    return found


def deliveries(
    merchant: Merchant, endpoint_id: str, *, status: str | None = None, event_type: str | None = None
) -> QuerySet[Delivery]:
    """The deliveries of an endpoint, newest first. Raises ONP404_WEBHOOK."""
    found = Delivery.objects.filter(endpoint=endpoint(merchant, endpoint_id)).select_related("event", "endpoint")
    if status:
        found = found.filter(status=status)
    if event_type:
        found = found.filter(event__type=event_type)
    return found.defer("event__body").order_by("-created_at", "-id")


def delivery(merchant: Merchant, endpoint_id: str, delivery_id: str) -> Delivery:
    """Raises ONP404_WEBHOOK and ONP404_DELIVERY."""
    of_endpoint = deliveries(merchant, endpoint_id)
    found = of_endpoint.filter(pk=delivery_id).first() if is_well_formed(delivery_id) else None
    if found is None:
        raise DeliveryUnknown
    return found


def events(
    merchant: Merchant,
    *,
    type: str | None = None,
    object_id: str | None = None,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
) -> QuerySet[Event]:
    """Events, newest first. `created_to` is exclusive."""
    found = Event.objects.filter(merchant=merchant)
    if type:
        found = found.filter(type=type)
    if object_id:
        found = found.filter(object_id=object_id)
    return newest(found, created_from, created_to)


def event(merchant: Merchant, event_id: str) -> Event:
    """Raises ONP404_EVENT, also for another merchant's event."""
    found = Event.objects.filter(merchant=merchant, pk=event_id).first() if is_well_formed(event_id) else None
    if found is None:
        raise EventUnknown
    return found


def deliveries_of(merchant: Merchant, event: Event, most: int = 100) -> list[Delivery]:
    """The deliveries of an event, newest first, including those to deleted endpoints."""
    made = Delivery.objects.filter(event=event, endpoint__merchant=merchant).select_related("endpoint")
    return list(made.order_by("-created_at", "-id")[:most])


def about(merchant: Merchant, object_ids: Sequence[str], most: int = 100) -> list[Event]:
    """The first events of these objects, oldest first, without bodies, each with its deliveries."""
    sent = Prefetch("deliveries", Delivery.objects.select_related("endpoint").order_by("created_at", "id"))
    found = Event.objects.filter(merchant=merchant, object_id__in=object_ids).defer("body")
    return list(found.order_by("occurred_at", "sequence").prefetch_related(sent)[:most])


LONGEST = timedelta(days=1)
"""No transaction takes so long: what is written after an event has no id that is older than this. So only the ranges
since then are asked.
"""
# An unknown cursor is a point in time. Known ones are a place in the order, whatever their time.
_AFTER = f"""
    WITH cursor AS (SELECT xid FROM {table(Event)} WHERE id = %(after)s AND merchant_id = %(merchant)s)
    SELECT {columns(Event)} FROM {table(Event)}
     WHERE merchant_id = %(merchant)s AND xid < ({COMPLETE_BELOW})
       AND (xid, id) > (coalesce((SELECT xid FROM cursor), '0'), %(after)s)
       AND (id > %(after)s OR EXISTS (SELECT FROM cursor)) AND id >= %(begun)s
     ORDER BY xid, id LIMIT %(limit)s
"""


def events_after(merchant: Merchant, event_id: str, limit: int) -> list[Event]:
    """Events after a given event in the order of the transactions that wrote them, those of one object in theirs. An id
    is a point in time as well: the event itself need not exist.

    Only what every transaction that is still running will come after: an event is told once all older transactions that
    may write some have ended, however late they commit. Not for a transaction that has written events itself.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _AFTER, {"merchant": merchant.pk, "after": event_id, "begun": _begun_before(event_id), "limit": limit}
        )
        return [load(Event, row) for row in cursor.fetchall()]


def _begun_before(event_id: str) -> str:
    try:
        return earliest("evt", max(made_at(event_id) - LONGEST, datetime.fromtimestamp(0, UTC)))
    except OverflowError:  # thousands of years ahead: nothing comes after it
        return event_id


def failing() -> QuerySet[Endpoint]:
    """Failing active endpoints of all merchants, the longest failing first."""
    rows = Endpoint.objects.filter(status=Endpoint.Status.ACTIVE, failing_since__isnull=False)
    return rows.select_related("merchant__company").order_by("failing_since")
