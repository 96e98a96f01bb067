"""Endpoints: registration, secrets, redelivery and replay."""

import socket
from collections.abc import Mapping
from concurrent.futures import TimeoutError
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Func, Q, Value

from accounts.base import addresses
from accounts.base.clock import now as now_of
from accounts.base.clock import utcnow
from accounts.base.errors import Fault
from accounts.base.ids import is_well_formed
from accounts.base.rows import execute, first, table
from accounts.base.sealing import seal, unseal
from accounts.models import Merchant
from webhooks.client import is_loopback_allowed
from webhooks.disturbances import EXTRA, Disturbance, is_genuine
from webhooks.doctor import Diagnosis, Known, Received, diagnose
from webhooks.doctor.message import read_message
from webhooks.doctor.verdicts import ID
from webhooks.errors import EndpointOff, EndpointUnknown, TooManyEndpoints
from webhooks.kinds import EVERYTHING
from webhooks.lifecycle import CANCELED
from webhooks.models import Attempt, Delivery, Endpoint, Event
from webhooks.outbox import emit
from webhooks.selectors import delivery, endpoint, endpoints
from webhooks.signing import new_secret

MAX_ENDPOINTS = 20
LOOKUP_TIMEOUT_S = 2.0


def url_faults(merchant: Merchant, url: str, lookup: addresses.Lookup = socket.getaddrinfo) -> list[Fault]:
    """Why this URL cannot be called, if so. Makes a DNS lookup: never call it inside a transaction.

    A host that cannot be resolved at the moment passes, since every delivery checks again. One that does not exist is
    rejected.
    """
    allowed = is_loopback_allowed(merchant.environment)
    try:
        target = addresses.parse_url(url, loopback_allowed=allowed)
        host, port = str(target.raw_host), int(target.port or 443)
        addresses.resolving(host, port, loopback_allowed=allowed, lookup=lookup).result(timeout=LOOKUP_TIMEOUT_S)
    except TimeoutError:
        return []
    except addresses.NoSuchHost as error:
        return [Fault("url", "INVALID", error.sentence, error.facts)]
    except addresses.UnknownHost:
        return []
    except addresses.ForbiddenAddress as error:
        return [Fault("url", "NOT_ALLOWED", error.sentence, error.facts)]
    return []


@transaction.atomic
def register(merchant: Merchant, url: str, events: list[str], description: str | None) -> tuple[Endpoint, str]:
    """Returns a new endpoint and its secret, which cannot be shown again. Raises ONP422_WEBHOOK_LIMIT.

    The caller has vetted the URL with `url_faults`.
    """
    Merchant.objects.select_for_update(no_key=True).get(pk=merchant.pk)  # counting is serialized
    if endpoints(merchant).count() >= MAX_ENDPOINTS:
        raise TooManyEndpoints
    secret = new_secret()
    endpoint = Endpoint.objects.create(
        merchant=merchant,
        url=url,
        events=events,
        description=description,
        sealed_secret=seal(secret.encode()),
    )
    return endpoint, secret


def lock(merchant: Merchant, endpoint_id: str) -> Endpoint:
    """The merchant's endpoint, locked until the transaction ends. Raises ONP404_WEBHOOK."""
    rows = endpoints(merchant).select_for_update(no_key=True).filter(pk=endpoint_id)
    found = rows.first() if is_well_formed(endpoint_id) else None
    if found is None:
        raise EndpointUnknown
    return found


@transaction.atomic
def change(merchant: Merchant, endpoint_id: str, **wanted: Any) -> Endpoint:
    """Sets url, events, description or status (ACTIVE, INACTIVE). ACTIVE resets the failure counters.

    Raises ONP404_WEBHOOK. The caller has vetted the URL with `url_faults`.
    """
    endpoint = lock(merchant, endpoint_id)
    for name, value in wanted.items():
        setattr(endpoint, name, value)
    if wanted.get("status") == Endpoint.Status.ACTIVE or "url" in wanted:
        endpoint.failures, endpoint.pauses = 0, 0
        endpoint.failing_since, endpoint.open_until, endpoint.warned_at = None, None, None
    if wanted.get("status") == Endpoint.Status.ACTIVE:
        endpoint.disabled_reason = None
    endpoint.save()
    return endpoint


@transaction.atomic
def delete(merchant: Merchant, endpoint_id: str) -> Endpoint:
    """Stops all deliveries to the endpoint and cancels pending ones. Raises ONP404_WEBHOOK."""
    endpoint = lock(merchant, endpoint_id)
    endpoint.status, endpoint.deleted_at = Endpoint.Status.INACTIVE, utcnow()
    endpoint.save()
    due = Delivery.objects.filter(endpoint=endpoint, status=Delivery.Status.PENDING)
    due.update(status=CANCELED, next_attempt_at=None)
    return endpoint


@transaction.atomic
def rotate(merchant: Merchant, endpoint_id: str, overlap: timedelta) -> tuple[Endpoint, str]:
    """Returns a new secret, which cannot be shown again; the previous one also signs during the overlap.

    A rotation during an overlap replaces the newest secret, and the older one keeps its deadline (contract §13.4).
    Raises ONP404_WEBHOOK.
    """
    endpoint = lock(merchant, endpoint_id)
    secret = new_secret()
    if endpoint.overlap_ends_at is None:
        endpoint.sealed_previous_secret = endpoint.sealed_secret
        endpoint.previous_secret_expires_at = utcnow() + overlap
    endpoint.sealed_secret = seal(secret.encode())
    endpoint.save()
    return endpoint, secret


def examine(
    merchant: Merchant,
    endpoint_id: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    secret: str | None = None,
    at: datetime | None = None,
) -> Diagnosis:
    """Diagnoses why a receiver of this endpoint rejects a delivery. Raises ONP404_WEBHOOK.

    Secrets are decrypted for the comparison only. `at` None: when we sent it, otherwise now.
    """
    asked, message = endpoint(merchant, endpoint_id), read_message(headers)
    event_id = message.headers.get(ID, "")
    event = Event.objects.filter(merchant=merchant, pk=event_id).first() if is_well_formed(event_id) else None
    others = endpoints(merchant).exclude(pk=asked.pk)
    previous = asked.sealed_previous_secret
    known = Known(
        secret=unseal(bytes(asked.sealed_secret)).decode(),
        previous_secret=unseal(bytes(previous)).decode() if previous else None,
        previous_is_valid=asked.overlap_ends_at is not None,
        other_secrets={other.pk: unseal(bytes(other.sealed_secret)).decode() for other in others},
        event_body=bytes(event.body) if event else None,
    )
    when = at or _arrived(asked, event, message.sent_at()) or utcnow()
    return diagnose(Received(headers=headers, body=body, at=when, secret=secret), known)


def _arrived(endpoint: Endpoint, event: Event | None, sent_at: int | None) -> datetime | None:
    """When the matching attempt was made, if known: a message that is pasted later is not late."""
    if event is None:
        return None
    made = Attempt.objects.filter(delivery__endpoint=endpoint, delivery__event=event)
    times = list(made.values_list("started_at", flat=True))
    return min(times, key=lambda time: abs(time.timestamp() - (sent_at or 0)), default=None)


PENDING = Delivery.Status.PENDING
_GENUINE = is_genuine("made")
# ── Telling again ─────────────────────────────────────────────────────────────────────────────────────────────────
# The id is the event's time and 64 random bits: it expires together with the event.
_AGAIN = f"""
    INSERT INTO {table(Delivery)} (id, event_id, endpoint_id, status, attempts, next_attempt_at, is_retried, asked_for,
                                   object_id, sequence, created_at)
    SELECT 'dlv_' || substr(event.id, 5, 10) || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 16)),
           event.id, %(endpoint)s, '{PENDING}', 0, %(now)s, event.type <> 'webhook.test',
           %(asked_for)s, event.object_id, event.sequence, %(now)s
      FROM ({{events}}) event
"""
_MATCHING = f"""
    SELECT event.id, event.type, event.object_id, event.sequence FROM {table(Event)} event
      LEFT JOIN LATERAL (SELECT status FROM {table(Delivery)} made
                          WHERE made.event_id = event.id AND made.endpoint_id = %(endpoint)s AND {_GENUINE}
                          ORDER BY (made.status = '{PENDING}') DESC, made.created_at DESC, made.id DESC LIMIT 1
                        ) last ON true
     WHERE event.merchant_id = %(merchant)s AND (%(kinds)s::varchar[] IS NULL OR event.type = ANY(%(kinds)s))
       AND event.type <> 'webhook.test'
       AND (%(object_id)s::varchar IS NULL OR event.object_id = %(object_id)s)
       AND (%(created_from)s::timestamptz IS NULL OR event.created_at >= %(created_from)s)
       AND (%(created_to)s::timestamptz IS NULL OR event.created_at < %(created_to)s)
       {{narrowed}}
       AND last.status IS DISTINCT FROM '{PENDING}'
       AND (%(last_status)s::varchar IS NULL OR coalesce(last.status, 'NONE') = %(last_status)s)
     ORDER BY event.id
"""
# What a last status narrows down to, read at once: to look at the deliveries of each event takes long where few match.
_NEVER_SENT = f"""AND NOT EXISTS (SELECT FROM {table(Delivery)} made
                        WHERE made.event_id = event.id AND made.endpoint_id = %(endpoint)s AND {_GENUINE})"""
_ONCE_SENT = f"""AND event.id IN (SELECT event_id FROM {table(Delivery)} made
                         WHERE endpoint_id = %(endpoint)s AND status = %(last_status)s AND {_GENUINE})"""
MOST_AT_ONCE = 10_000
MOST_OF_AN_OBJECT = 100


@transaction.atomic
def redeliver(merchant: Merchant, endpoint_id: str, delivery_id: str) -> Delivery:
    """Sends the event of a delivery again: same `webhook-id`, current secret, even if the endpoint is paused.

    Raises ONP404_WEBHOOK, ONP404_DELIVERY and ONP409_WEBHOOK_STATE.
    """
    endpoint = _enabled(merchant, endpoint_id)
    before = delivery(merchant, endpoint_id, delivery_id)
    again = _AGAIN.format(events=f"SELECT * FROM {table(Event)} WHERE id = %(event)s")
    row = first(
        f"{again} RETURNING id", {"endpoint": endpoint.pk, "event": before.event_id, "now": utcnow(), "asked_for": True}
    )
    assert row is not None
    return delivery(merchant, endpoint_id, row[0])


@transaction.atomic
def resend(
    merchant: Merchant,
    *,
    event_id: str | None = None,
    object_id: str | None = None,
    endpoint_id: str | None = None,
) -> int:
    """Sends an event, or the latest 100 of an object, again to every active endpoint that is subscribed to it, or only
    to this one of them.

    The first attempt is made even if the endpoint is paused. What is already pending there is not sent twice; tests
    are never. Returns how many deliveries were queued.
    """
    active = endpoints(merchant).filter(status=Endpoint.Status.ACTIVE)
    active = active.filter(pk=endpoint_id) if endpoint_id else active
    locked = [*active.select_for_update(no_key=True).order_by("pk")]  # the same request at once waits, and sees these
    found = Event.objects.filter(merchant=merchant).exclude(type="webhook.test")
    found = found.filter(pk=event_id) if event_id else found.filter(object_id=object_id)
    latest = [*found.order_by("-sequence").values_list("pk", "type")[:MOST_OF_AN_OBJECT]]
    again = _AGAIN.format(events=f"SELECT * FROM {table(Event)} WHERE id = ANY(%(events)s)")
    queued = 0
    for one in locked:
        wanted = {pk for pk, kind in latest if one.events == [EVERYTHING] or kind in one.events}
        pending = Delivery.objects.filter(endpoint=one, event__in=wanted, status=PENDING)
        pending = pending.exclude(disturbance__in=(*EXTRA, Disturbance.LOST))
        wanted -= set(pending.values_list("event_id", flat=True))
        queued += execute(again, {"endpoint": one.pk, "events": [*wanted], "now": utcnow(), "asked_for": True})
    return queued


@dataclass(frozen=True, slots=True)
class Filter:
    """Which events are replayed: those the endpoint subscribes to that are not already pending for it.

    `last_status`: the status of their last delivery to this endpoint, NONE if there was none.
    """

    type: str | None = None
    object_id: str | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    last_status: str | None = None


@transaction.atomic
def replay(merchant: Merchant, endpoint_id: str, wanted: Filter, *, dry_run: bool) -> tuple[int, int]:
    """Returns (matches, queued): at most 10,000 at once, oldest first; a dry run queues none.

    Raises ONP404_WEBHOOK and ONP409_WEBHOOK_STATE.
    """
    params = _parameters(_enabled(merchant, endpoint_id), wanted)
    matching = _matching(wanted)
    row = first(f"SELECT count(*) FROM ({matching}) matching", params)
    assert row is not None
    if dry_run or not row[0]:
        return row[0], 0
    return row[0], execute(_AGAIN.format(events=f"{matching} LIMIT %(limit)s"), params)


def sample(merchant: Merchant, endpoint_id: str, wanted: Filter, size: int = 10) -> tuple[int, list[Event]]:
    """How many events match, counted up to one above the replay limit, and the first of them without bodies.

    Raises ONP404_WEBHOOK.
    """
    params = _parameters(endpoint(merchant, endpoint_id), wanted)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM ({_matching(wanted)} LIMIT {MOST_AT_ONCE + 1}) matching", params)
        ids = [event_id for (event_id,) in cursor.fetchall()]
    return len(ids), list(Event.objects.filter(pk__in=ids[:size]).defer("body").order_by("pk"))


def _matching(wanted: Filter) -> str:
    known = {None: "", "NONE": _NEVER_SENT}
    return _MATCHING.format(narrowed=known.get(wanted.last_status, _ONCE_SENT))


def _parameters(endpoint: Endpoint, wanted: Filter) -> dict[str, Any]:
    return {
        "merchant": endpoint.merchant_id,
        "endpoint": endpoint.pk,
        "now": utcnow(),
        "asked_for": False,
        "limit": MOST_AT_ONCE,
        "kinds": _kinds(endpoint, wanted.type),
        "object_id": wanted.object_id,
        "created_from": wanted.created_from,
        "created_to": wanted.created_to,
        "last_status": wanted.last_status,
    }


def _kinds(endpoint: Endpoint, wanted: str | None) -> list[str] | None:
    """The requested types among those the endpoint subscribes to; None for all."""
    if endpoint.events == [EVERYTHING]:
        return [wanted] if wanted else None
    return [kind for kind in endpoint.events if wanted in (None, kind)]


@transaction.atomic
def send_test(merchant: Merchant, endpoint_id: str) -> Delivery:
    """Sends one `webhook.test`, whatever the endpoint subscribes to. Raises ONP404_WEBHOOK and ONP409_WEBHOOK_STATE."""
    endpoint = _enabled(merchant, endpoint_id)
    message = {"message": "This is a test that you asked for."}
    event_id = emit(merchant, "webhook.test", endpoint.pk, message, now_of(merchant), only=endpoint.pk)
    return Delivery.objects.select_related("event").get(event_id=event_id)


def _enabled(merchant: Merchant, endpoint_id: str) -> Endpoint:
    endpoint = lock(merchant, endpoint_id)
    if endpoint.status != Endpoint.Status.ACTIVE:
        raise EndpointOff
    return endpoint


def move_clock(merchant: Merchant, by: timedelta) -> None:
    """Shortens the wait of pending deliveries: the sandbox clock moves retries as well."""
    pending = Delivery.objects.filter(endpoint__merchant=merchant, status=Delivery.Status.PENDING)
    held = Q(disturbance__isnull=False, attempts=0)  # by real time
    pending.exclude(held).update(next_attempt_at=_earlier("next_attempt_at", by))
    failing = Endpoint.objects.filter(merchant=merchant, failing_since__isnull=False)
    failing.update(failing_since=_earlier("failing_since", by), open_until=_earlier("open_until", by))


def _earlier(column: str, by: timedelta) -> Func:
    """In UTC, where a day has 24 hours: Citus refuses to subtract by a session's time zone in an update."""
    return Func(
        F(column), Value(by), arg_joiner=" AT TIME ZONE 'UTC' - ", template="((%(expressions)s) AT TIME ZONE 'UTC')"
    )
