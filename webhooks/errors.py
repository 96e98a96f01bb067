"""Refusals of webhooks."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class InvalidUrl(InvalidRequest):
    code = "ONP400_URL"
    message = _("The URL must be an HTTPS URL on the public internet.")
    advice = _("error.fields names the rule that the URL breaks.")


class InvalidEvents(InvalidRequest):
    code = "ONP400_EVENTS"
    message = _('events must list known event types without duplicates, or be exactly ["*"].')
    advice = _("The API reference lists every event type.")


class EndpointUnknown(Refusal):
    code = "ONP404_WEBHOOK"
    message = _("Webhook endpoint not found.")
    advice = _("Check the id, and the environment of your key; a deleted endpoint cannot be recovered.")


class DeliveryUnknown(Refusal):
    code = "ONP404_DELIVERY"
    message = _("This endpoint has no such delivery.")
    advice = _("Deliveries are kept for 30 days.")


class EventUnknown(Refusal):
    code = "ONP404_EVENT"
    message = _("Event not found.")
    advice = _("Check the id, and the environment of your key; events are kept for 30 days.")


class EndpointOff(Refusal):
    code = "ONP409_WEBHOOK_STATE"
    message = _("The webhook endpoint is disabled.")
    advice = _("Set its status to ACTIVE first, then try again with a new idempotency key.")


class TooManyEndpoints(Refusal):
    code = "ONP422_WEBHOOK_LIMIT"
    message = _("A company can have at most 20 webhook endpoints per environment.")
    advice = _("Reuse an existing endpoint, or delete one that you no longer need.")
