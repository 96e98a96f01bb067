"""The JSON of a webhook endpoint, once (contract §13.1)."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.wire import Timestamp, optional_timestamp, timestamp
from webhooks.models import Endpoint


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
    """A webhook endpoint with its secret, which is shown only now."""

    secret: str


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
        "previousSecretExpiresAt": optional_timestamp(endpoint.previous_secret_expires_at),
        "createdAt": timestamp(endpoint.created_at),
        "updatedAt": timestamp(endpoint.updated_at),
    }
