"""Webhook endpoints: register and list (contract §13.1)."""

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from accounts.errors import Fault, Refusal
from accounts.models import Merchant
from gateway.api.fields import Input, Text, wrong
from gateway.api.operations import Resource, operation
from gateway.api.pagination import Page, Paged, page_of
from webhooks import payloads, selectors
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


class EndpointInput(Input):
    """Where to tell what."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"url": InvalidUrl, "events": InvalidEvents}

    url: Annotated[str, Field(max_length=2048, examples=["https://shop.example.com/hooks/onpay"])]
    events: Annotated[
        list[str], Field(min_length=1, max_length=50, examples=[["payment.paid"]]), AfterValidator(_kinds)
    ]
    description: Annotated[Text, Field(max_length=255)] | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        url = content.get("url")
        return webhooks.url_faults(merchant, url) if isinstance(url, str) else []


class Endpoints(Resource):
    tag = "Webhooks"

    @operation(
        "webhooks:write",
        takes=EndpointInput,
        gives=payloads.NewEndpointPayload,
        status=201,
        said="Webhook created.",
        refuses=[InvalidUrl, InvalidEvents, TooManyEndpoints],
    )
    def post(self, merchant: Merchant, wanted: EndpointInput) -> payloads.NewEndpointPayload:
        """Register a webhook endpoint

        The secret is in this answer only. Verify deliveries with any Standard Webhooks library, or compare
        `x-onpay-signature` with the HMAC-SHA256 of the raw body.
        """
        endpoint, secret = webhooks.register(merchant, wanted.url, wanted.events, wanted.description)
        return {**payloads.endpoint(endpoint), "secret": secret}

    @operation("webhooks:read", query=Paged, gives=payloads.EndpointPayload)
    def get(self, merchant: Merchant, query: Paged) -> Page:
        """List the webhook endpoints

        Newest first, without their secrets.
        """
        return page_of(selectors.endpoints(merchant), query, payloads.endpoint)
