"""The event log: every event with its body, for receivers that missed it (contract §17)."""

import time
from threading import BoundedSemaphore
from typing import Annotated, Any

from django.db import connection
from pydantic import BeforeValidator, Field

from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import Text, TimestampText, wrong
from gateway.api.operations import Resource, operation
from gateway.api.pagination import ListQuery, ResultPage, page_of
from webhooks import payloads, selectors
from webhooks.errors import EventUnknown

LOOK_EVERY_S = 0.5
_waiting = BoundedSemaphore(1)
"""One call per process may wait for news, since it occupies a thread; others are answered immediately."""


def _seconds(text: Any) -> Any:
    if isinstance(text, str) and not (text.isascii() and text.isdigit() and len(text) <= 2):
        raise wrong("INVALID", "Must be a whole number of seconds.")
    return int(text)


class EventFilters(ListQuery):
    """Event filters. With `after` they come as they were written; `wait` is the seconds to wait for the first."""

    otherwise = InvalidFilter

    type: Annotated[Text, Field(max_length=40)] | None = None
    object_id: Annotated[Text, Field(max_length=40)] | None = None
    created_from: TimestampText | None = None
    created_to: TimestampText | None = None
    after: Annotated[str, Field(pattern="^evt_[0-9A-HJKMNP-TV-Z]{26}$")] | None = None
    wait: Annotated[int, BeforeValidator(_seconds), Field(ge=0, le=25)] = 0


class EventsView(Resource):
    tag = "Webhooks"

    @operation(
        "listEvents",
        "webhooks:read",
        query=EventFilters,
        gives=payloads.EventPayload,
        refuses=[InvalidFilter],
        on_primary=True,
    )
    def get(self, merchant: Merchant, query: EventFilters) -> ResultPage:
        """List events

        Newest first, for 30 days: every event, whether or not an endpoint was subscribed. With `after` the events
        written after that one, of all types and in the order of writing: those of one object by `sequence`, but ids
        need not ascend. `wait` keeps the call open until there is one. After a full page there are more: continue
        after its last event.
        """
        if query.after is None:
            wanted = query.filters()
            wanted.pop("wait", None)
            return page_of(selectors.events(merchant, **wanted), query, payloads.event)
        found = self._news(merchant, query.after, query)
        return ResultPage([payloads.event(one) for one in found], 1, query.page_size, len(found))

    def _news(self, merchant: Merchant, after: str, query: EventFilters) -> list[Any]:
        found = selectors.events_after(merchant, after, query.page_size)
        if found or not query.wait or not _waiting.acquire(blocking=False):
            return found
        try:
            until = time.monotonic() + query.wait
            while not found and time.monotonic() < until:
                if not connection.in_atomic_block:
                    connection.close()  # so that the caller does not wait for it
                time.sleep(LOOK_EVERY_S)
                found = selectors.events_after(merchant, after, query.page_size)
            return found
        finally:
            _waiting.release()


class EventView(Resource):
    tag = "Webhooks"

    @operation("getEvent", "webhooks:read", gives=payloads.EventPayload, refuses=[EventUnknown])
    def get(self, merchant: Merchant, event_id: str) -> payloads.EventPayload:
        """Get an event

        With the body as it is signed and sent.
        """
        return payloads.event(selectors.event(merchant, event_id))
