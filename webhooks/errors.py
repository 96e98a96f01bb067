"""Refusals of webhooks."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class InvalidUrl(InvalidRequest):
    code = "ONP400_URL"
    message = "The URL must be an HTTPS URL on the public internet."
    advice = "error.fields names the rule that the URL breaks."


class InvalidEvents(InvalidRequest):
    code = "ONP400_EVENTS"
    message = 'events must list known event types without duplicates, or be exactly ["*"].'
    advice = "The API reference lists every event type."


class EndpointUnknown(Refusal):
    code = "ONP404_WEBHOOK"
    message = "Webhook endpoint not found."
    advice = "Check the id, and the environment of your key; a deleted endpoint cannot be recovered."


class DeliveryUnknown(Refusal):
    code = "ONP404_DELIVERY"
    message = "This endpoint has no such delivery."
    advice = "Deliveries are kept for 30 days."


class EventUnknown(Refusal):
    code = "ONP404_EVENT"
    message = "Event not found."
    advice = "Check the id, and the environment of your key; events are kept for 30 days."


class EndpointOff(Refusal):
    code = "ONP409_WEBHOOK_STATE"
    message = _("The webhook endpoint is disabled.")
    advice = _("Set its status to ACTIVE first, then try again with a new idempotency key.")


class TooManyEndpoints(Refusal):
    code = "ONP422_WEBHOOK_LIMIT"
    message = "A company can have at most 20 webhook endpoints per environment."
    advice = "Reuse an existing endpoint, or delete one that you no longer need."
