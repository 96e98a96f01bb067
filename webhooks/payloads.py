"""The JSON of endpoints, deliveries and events (contract §13)."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base.wire import Timestamp, optional_timestamp, timestamp
from webhooks.disturbances import DisturbanceName
from webhooks.models import Attempt, Delivery, Endpoint, Event

DeliveryStatusName = Literal["PENDING", "DELIVERED", "FAILED", "CANCELED"]
SHOWN_OF_AN_ANSWER = 1024


class EndpointPayload(TypedDict):
    """A webhook endpoint. `status` DISABLED is set by the service only; `disabledReason` then says why."""

    id: str
    url: str
    events: list[str]
    status: Literal["ACTIVE", "INACTIVE", "DISABLED"]
    description: str | None
    disabledReason: Literal["FAILURES", "GONE"] | None
    lastDeliveryAt: Timestamp | None
    lastSuccessAt: Timestamp | None
    previousSecretExpiresAt: Timestamp | None
    createdAt: Timestamp
    updatedAt: Timestamp


class NewEndpointPayload(EndpointPayload):
    """A webhook endpoint with its secret, which is shown only once."""

    secret: str


class DeletedPayload(TypedDict):
    """The id of the deleted object."""

    id: str
    deleted: Literal[True]


class DeliveryPayload(TypedDict):
    """An event for an endpoint; `httpStatus` or `error` are of the last attempt.

    `disturbance`: chaos mode disturbed it on purpose. FORGED, TAMPERED and OLD must be refused: then FAILED is right.
    """

    id: str
    eventId: str
    eventType: str
    objectId: str
    status: DeliveryStatusName
    attempts: int
    httpStatus: int | None
    error: str | None
    nextAttemptAt: Timestamp | None
    deliveredAt: Timestamp | None
    disturbance: DisturbanceName | None
    createdAt: Timestamp


class AttemptPayload(TypedDict):
    """One delivery attempt, and the beginning of your server's response."""

    number: int
    startedAt: Timestamp
    elapsedMs: int
    httpStatus: int | None
    error: str | None
    answer: str


class DeliveryDetailPayload(DeliveryPayload):
    """A delivery with all attempts, oldest first."""

    tries: list[AttemptPayload]


class EventPayload(TypedDict):
    """An event. `body` is the exact text that is signed and sent."""

    id: str
    type: str
    objectId: str
    sequence: int
    occurredAt: Timestamp
    createdAt: Timestamp
    body: str


class TestPayload(TypedDict):
    """The data of a test event."""

    message: str


class ReplayPayload(TypedDict):
    """How many events match, and how many are sent again: none in a dry run, 10,000 at most."""

    matched: int
    queued: int
    dryRun: bool


class VerificationPayload(TypedDict):
    """Why a receiver rejects the signature, and what to do."""

    verdict: Literal[
        "OK",
        "BODY_REENCODED",
        "WRONG_ENDPOINT_SECRET",
        "PREVIOUS_SECRET",
        "TIMESTAMP_SKEW",
        "TRAILING_NEWLINE",
        "WRONG_ENCODING",
        "API_KEY_PASTED",
        "UNKNOWN",
    ]
    explanation: str
    advice: str


def deleted(endpoint: Endpoint) -> DeletedPayload:
    return {"id": endpoint.id, "deleted": True}


def delivery(delivery: Delivery) -> DeliveryPayload:
    return {
        "id": delivery.id,
        "eventId": delivery.event_id,
        "eventType": delivery.event.type,
        "objectId": delivery.event.object_id,
        "status": delivery.status,  # type: ignore[typeddict-item]
        "attempts": delivery.attempts,
        "httpStatus": delivery.http_status,
        "error": delivery.error,
        "nextAttemptAt": optional_timestamp(delivery.expected_at),
        "deliveredAt": optional_timestamp(delivery.delivered_at),
        "disturbance": delivery.disturbance,  # type: ignore[typeddict-item]
        "createdAt": timestamp(delivery.created_at),
    }


def delivery_detail(found: Delivery) -> DeliveryDetailPayload:
    return {**delivery(found), "tries": [_attempt(one) for one in found.tries.order_by("number")]}


def _attempt(attempt: Attempt) -> AttemptPayload:
    return {
        "number": attempt.number,
        "startedAt": timestamp(attempt.started_at),
        "elapsedMs": attempt.elapsed_ms,
        "httpStatus": attempt.http_status,
        "error": attempt.error,
        "answer": attempt.excerpt[:SHOWN_OF_AN_ANSWER],
    }


def event(event: Event) -> EventPayload:
    return {
        "id": event.id,
        "type": event.type,
        "objectId": event.object_id,
        "sequence": event.sequence,
        "occurredAt": timestamp(event.occurred_at),
        "createdAt": timestamp(event.created_at),
        "body": bytes(event.body).decode(),
    }


def new_endpoint(made: Endpoint, secret: str) -> NewEndpointPayload:
    return {**endpoint(made), "secret": secret}


def endpoint(endpoint: Endpoint) -> EndpointPayload:
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "events": endpoint.events,
        "status": endpoint.status,  # type: ignore[typeddict-item]
        "description": endpoint.description,
        "disabledReason": endpoint.disabled_reason,  # type: ignore[typeddict-item]
        "lastDeliveryAt": optional_timestamp(endpoint.last_delivery_at),
        "lastSuccessAt": optional_timestamp(endpoint.last_success_at),
        "previousSecretExpiresAt": optional_timestamp(endpoint.overlap_ends_at),
        "createdAt": timestamp(endpoint.created_at),
        "updatedAt": timestamp(endpoint.updated_at),
    }
