"""Reads of endpoints and events. The first argument is always the merchant."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Prefetch, QuerySet

from accounts.base.ids import is_well_formed
from accounts.base.listing import newest
from accounts.base.rows import first
from accounts.models import Merchant
from webhooks.errors import DeliveryUnknown, EndpointUnknown, EventUnknown
from webhooks.models import Delivery, Endpoint, Event


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


_SETTLED = """
    SELECT least(statement_timestamp(), min(xact_start)) - %s FROM pg_stat_activity
     WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database()
       AND backend_type = 'client backend'
"""
SKEW = timedelta(milliseconds=500)
"""The maximum clock difference between processes and the database."""


def events_after(merchant: Merchant, event_id: str, limit: int) -> list[Event]:
    """Events after a given event, oldest first. An id is a point in time: the event itself need not exist.

    Only up to where no older event can still appear: events of transactions that are still running are not skipped,
    however late they commit.
    """
    row = first(_SETTLED, [SKEW])
    assert row is not None
    settled = Event.objects.filter(merchant=merchant, id__gt=event_id, created_at__lt=row[0])
    return list(settled.order_by("id")[:limit])


def failing() -> QuerySet[Endpoint]:
    """Failing active endpoints of all merchants, the longest failing first."""
    rows = Endpoint.objects.filter(status=Endpoint.Status.ACTIVE, failing_since__isnull=False)
    return rows.select_related("merchant__company").order_by("failing_since")
