"""What webhooks refuse."""

from accounts.base.errors import InvalidRequest, Refusal


class InvalidUrl(InvalidRequest):
    code = "ONP400_URL"
    message = "The URL is not an HTTPS address on the public internet."
    advice = "error.fields says which rule the URL breaks."


class InvalidEvents(InvalidRequest):
    code = "ONP400_EVENTS"
    message = 'The events are not a list of known kinds without repetition, or exactly ["*"].'
    advice = "The reference lists every kind."


class EndpointUnknown(Refusal):
    code = "ONP404_WEBHOOK"
    message = "There is no such webhook endpoint."
    advice = "Compare the id, and the environment of the key; a deleted endpoint is gone."


class DeliveryUnknown(Refusal):
    code = "ONP404_DELIVERY"
    message = "There is no such delivery to this endpoint."
    advice = "Deliveries are kept for 30 days."


class EventUnknown(Refusal):
    code = "ONP404_EVENT"
    message = "There is no such event."
    advice = "Compare the id, and the environment of the key; events are kept for 30 days."


class EndpointOff(Refusal):
    code = "ONP409_WEBHOOK_STATE"
    message = "The webhook endpoint is switched off."
    advice = "Set its status to ACTIVE first, then repeat with a new idempotency key."


class TooManyEndpoints(Refusal):
    code = "ONP422_WEBHOOK_LIMIT"
    message = "A company has at most 20 webhook endpoints in each environment."
    advice = "Use an endpoint that you have; support can remove one that you do not need."
