"""What companies were told of a record: its events, and how their deliveries ended."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _

from gateway.staff.kit.columns import address, anchor
from webhooks.models import Delivery, Event

MOST = 50
RESULTS = {
    Delivery.Status.DELIVERED: _("delivered"),
    Delivery.Status.PENDING: _("not delivered yet"),
    Delivery.Status.FAILED: _("given up"),
    Delivery.Status.CANCELED: _("canceled"),
}


def events_of(object_id: str) -> Iterable[tuple[datetime, Any, Any]]:
    """The first events of a record: when, what as a link, and the results of its deliveries as links."""
    events = Event.objects.filter(object_id=object_id).defer("body").order_by("sequence")
    for event in events.prefetch_related("deliveries")[:MOST]:
        yield event.occurred_at, anchor(address(Event, "change", event.pk), event.type), _told(event)


def _told(event: Event) -> Any:
    made = event.deliveries.all()
    told = ((address(Delivery, "change", one.pk), RESULTS[Delivery.Status(one.status)]) for one in made)
    return format_html_join(", ", '<a class="text-link" href="{}">{}</a>', told) or _("No endpoint was subscribed")
