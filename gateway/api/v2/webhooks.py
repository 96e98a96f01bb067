"""Webhook endpoints, their deliveries, and redelivery (contract §13)."""

import base64
import binascii
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from accounts.base.errors import Fault, InvalidStatus, Refusal
from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import ExactInput, Input, NotNull, Text, TimestampText, wrong
from gateway.api.operations import Resource, operation
from gateway.api.pagination import LongListQuery, Paged, ResultPage, page_of
from webhooks import errors, payloads, selectors
from webhooks import services as webhooks
from webhooks.errors import InvalidEvents, InvalidUrl, TooManyEndpoints
from webhooks.kinds import EVERYTHING, KINDS


def _kinds(events: list[str]) -> list[str]:
    if events == [EVERYTHING]:
        return events
    if len(set(events)) != len(events):
        raise wrong("INVALID", "Every kind once.")
    if not set(events) <= KINDS.keys():
        raise wrong("UNKNOWN_VALUE", "This is not one of the known kinds.")
    return events


Url = Annotated[str, Field(max_length=2048, examples=["https://shop.example.com/hooks/onpay"])]
Events = Annotated[list[str], Field(min_length=1, max_length=50, examples=[["payment.paid"]]), AfterValidator(_kinds)]


class EndpointInput(Input):
    """URL and event types."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"url": InvalidUrl, "events": InvalidEvents}

    url: Url
    events: Events
    description: Annotated[Text, Field(max_length=255)] | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        url = content.get("url")
        return webhooks.url_faults(merchant, url) if isinstance(url, str) else []


class EndpointChangeInput(ExactInput):
    """What to change; omitted members stay. ACTIVE resets the failure counters."""

    codes: ClassVar[dict[str, type[Refusal]]] = EndpointInput.codes | {"status": InvalidStatus}

    url: Annotated[Url | None, NotNull] = None
    events: Annotated[Events | None, NotNull] = None
    status: Annotated[Literal["ACTIVE", "INACTIVE"] | None, NotNull] = None
    description: Annotated[Text, Field(max_length=255)] | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        names = ("url", "events", "status", "description")
        if not set(names) & set(content):
            return [Fault("body", "REQUIRED", "At least one of %(names)s.", {"names": ", ".join(names)})]
        return EndpointInput.faults_in(content, merchant)

    def changes(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True)


class RotationInput(ExactInput):
    """How many hours the current secret keeps signing next to the new one."""

    overlap_hours: Annotated[int, Field(ge=0, le=72)] = 24


class DeliveryFilters(LongListQuery):
    """Which deliveries."""

    otherwise = InvalidFilter

    status: payloads.DeliveryStatusName | None = None
    event_type: Annotated[Text, Field(max_length=40)] | None = None


class ReplayInput(ExactInput):
    """Which events to send again; `lastStatus` is the status of their last delivery, NONE if there was none.

    With `dryRun` they are only counted.
    """

    type: Annotated[Annotated[Text, Field(max_length=40)] | None, NotNull] = None
    object_id: Annotated[Annotated[Text, Field(max_length=40)] | None, NotNull] = None
    created_from: Annotated[TimestampText | None, NotNull] = None
    created_to: Annotated[TimestampText | None, NotNull] = None
    last_status: Annotated[Literal["DELIVERED", "FAILED", "CANCELED", "NONE"] | None, NotNull] = None
    dry_run: bool = False


class VerificationInput(Input):
    """What your receiver got: every header, and the body as text or, to preserve every byte, in base64.

    `secret` is what it verifies with, if you want it checked. It is compared in memory and not stored.
    """

    headers: Annotated[dict[str, str], Field(max_length=100)]
    body: str | None = None
    body_base64: str | None = None
    secret: Annotated[str, Field(max_length=1000)] | None = None
    received_at: TimestampText | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        text, encoded = content.get("body"), content.get("bodyBase64")
        if (text is None) == (encoded is None):
            return [Fault("body", "REQUIRED", "Exactly one of body and bodyBase64.")]
        try:
            base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else None
        except (binascii.Error, ValueError):
            return [Fault("bodyBase64", "INVALID", "Must be base64.")]
        return []

    @property
    def content(self) -> bytes:
        return (self.body or "").encode() if self.body_base64 is None else base64.b64decode(self.body_base64)


class EndpointsView(Resource):
    tag = "Webhooks"

    @operation(
        "createWebhook",
        "webhooks:write",
        takes=EndpointInput,
        gives=payloads.NewEndpointPayload,
        status=201,
        success="Webhook created.",
        refuses=[InvalidUrl, InvalidEvents, TooManyEndpoints],
    )
    def post(self, merchant: Merchant, wanted: EndpointInput) -> payloads.NewEndpointPayload:
        """Register a webhook endpoint

        The secret is in this response only. Verify deliveries with any Standard Webhooks library, or compare
        `x-onpay-signature` with the HMAC-SHA256 of the raw body.
        """
        return payloads.new_endpoint(*webhooks.register(merchant, wanted.url, wanted.events, wanted.description))

    @operation("listWebhooks", "webhooks:read", query=Paged, gives=payloads.EndpointPayload)
    def get(self, merchant: Merchant, query: Paged) -> ResultPage:
        """List the webhook endpoints

        Newest first, without their secrets.
        """
        return page_of(selectors.endpoints(merchant), query, payloads.endpoint)


class EndpointView(Resource):
    tag = "Webhooks"

    @operation("getWebhook", "webhooks:read", gives=payloads.EndpointPayload, refuses=[errors.EndpointUnknown])
    def get(self, merchant: Merchant, webhook_id: str) -> payloads.EndpointPayload:
        """Get a webhook endpoint

        Without its secret.
        """
        return payloads.endpoint(selectors.endpoint(merchant, webhook_id))

    @operation(
        "updateWebhook",
        "webhooks:write",
        takes=EndpointChangeInput,
        gives=payloads.EndpointPayload,
        success="Webhook changed.",
        refuses=[*EndpointChangeInput.codes.values(), errors.EndpointUnknown],
    )
    def patch(self, merchant: Merchant, wanted: EndpointChangeInput, webhook_id: str) -> payloads.EndpointPayload:
        """Change an endpoint

        INACTIVE disables it: events are recorded and can be replayed once it is ACTIVE again.
        """
        return payloads.endpoint(webhooks.change(merchant, webhook_id, **wanted.changes()))

    @operation(
        "deleteWebhook",
        "webhooks:write",
        gives=payloads.DeletedPayload,
        success="Webhook deleted.",
        refuses=[errors.EndpointUnknown],
    )
    def delete(self, merchant: Merchant, webhook_id: str) -> payloads.DeletedPayload:
        """Delete an endpoint

        Pending deliveries are canceled.
        """
        return payloads.deleted(webhooks.delete(merchant, webhook_id))


class SecretRotationsView(Resource):
    tag = "Webhooks"

    @operation(
        "rotateWebhookSecret",
        "webhooks:write",
        takes=RotationInput,
        optional_body=True,
        gives=payloads.NewEndpointPayload,
        status=201,
        success="Secret rotated.",
        refuses=[errors.EndpointUnknown],
    )
    def post(self, merchant: Merchant, wanted: RotationInput, webhook_id: str) -> payloads.NewEndpointPayload:
        """Rotate the secret

        The new secret is in this response only. Until `previousSecretExpiresAt` both sign, the new one first: a
        receiver that knows either can verify. A second rotation before then replaces the new secret and keeps
        that time.
        """
        return payloads.new_endpoint(*webhooks.rotate(merchant, webhook_id, timedelta(hours=wanted.overlap_hours)))


class TestsView(Resource):
    tag = "Webhooks"

    @operation(
        "sendTestEvent",
        "webhooks:write",
        gives=payloads.DeliveryPayload,
        optional_body=True,
        status=201,
        success="Test queued.",
        refuses=[errors.EndpointUnknown, errors.EndpointOff],
    )
    def post(self, merchant: Merchant, webhook_id: str) -> payloads.DeliveryPayload:
        """Send a test

        One `webhook.test`, signed and sent like every other event, whatever the endpoint subscribes to. It is
        attempted once.
        """
        return payloads.delivery(webhooks.send_test(merchant, webhook_id))


class DeliveriesView(Resource):
    tag = "Webhooks"

    @operation(
        "listDeliveries",
        "webhooks:read",
        query=DeliveryFilters,
        gives=payloads.DeliveryPayload,
        refuses=[errors.EndpointUnknown, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: DeliveryFilters, webhook_id: str) -> ResultPage:
        """List the deliveries of an endpoint

        Newest first, for 30 days, with the result of the last attempt.
        """
        whole = selectors.deliveries(merchant, webhook_id)
        rows = selectors.deliveries(merchant, webhook_id, **query.filters())
        return page_of(rows, query, payloads.delivery, whole=whole)


class DeliveryView(Resource):
    tag = "Webhooks"

    @operation(
        "getDelivery",
        "webhooks:read",
        gives=payloads.DeliveryDetailPayload,
        refuses=[errors.EndpointUnknown, errors.DeliveryUnknown],
    )
    def get(self, merchant: Merchant, webhook_id: str, delivery_id: str) -> payloads.DeliveryDetailPayload:
        """Get a delivery

        With every attempt: when, how long, and your server's response.
        """
        return payloads.delivery_detail(selectors.delivery(merchant, webhook_id, delivery_id))


class RedeliveriesView(Resource):
    tag = "Webhooks"

    @operation(
        "redeliver",
        "webhooks:write",
        gives=payloads.DeliveryPayload,
        optional_body=True,
        status=201,
        success="Redelivery queued.",
        refuses=[errors.EndpointUnknown, errors.DeliveryUnknown, errors.EndpointOff],
    )
    def post(self, merchant: Merchant, webhook_id: str, delivery_id: str) -> payloads.DeliveryPayload:
        """Redeliver

        The same event with the same `webhook-id`, signed with the current secret, as a new delivery.
        """
        return payloads.delivery(webhooks.redeliver(merchant, webhook_id, delivery_id))


class ReplaysView(Resource):
    tag = "Webhooks"

    @operation(
        "replayEvents",
        "webhooks:write",
        takes=ReplayInput,
        optional_body=True,
        gives=payloads.ReplayPayload,
        status=201,
        success="Replay queued.",
        refuses=[errors.EndpointUnknown, errors.EndpointOff],
    )
    def post(self, merchant: Merchant, wanted: ReplayInput, webhook_id: str) -> payloads.ReplayPayload:
        """Replay events

        Everything of the last 30 days that matches and to which the endpoint subscribes, oldest first, including
        events from while it was disabled. Pending events are left out. `dryRun` counts first; at most 10,000 at
        once.
        """
        draft = webhooks.Filter(
            type=wanted.type,
            object_id=wanted.object_id,
            created_from=wanted.created_from,
            created_to=wanted.created_to,
            last_status=wanted.last_status,
        )
        matched, queued = webhooks.replay(merchant, webhook_id, draft, dry_run=wanted.dry_run)
        return {"matched": matched, "queued": queued, "dryRun": wanted.dry_run}


class VerificationsView(Resource):
    tag = "Webhooks"

    @operation(
        "verifySignature",
        "webhooks:read",
        takes=VerificationInput,
        gives=payloads.VerificationPayload,
        success="Verification.",
        refuses=[errors.EndpointUnknown],
    )
    def post(self, merchant: Merchant, got: VerificationInput, webhook_id: str) -> payloads.VerificationPayload:
        """Diagnose a signature

        Your receiver rejects a signature? Send what it got, and optionally the secret it uses, to find out why: a
        body that was parsed and serialized again, the secret of another endpoint, a wrong clock, a trailing line
        break, or nothing at all.
        """
        found = webhooks.examine(merchant, webhook_id, got.headers, got.content, secret=got.secret, at=got.received_at)
        return {"verdict": found.verdict.value, "explanation": found.explanation, "advice": found.advice}
