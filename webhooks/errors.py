"""What webhooks refuse."""

from accounts.errors import InvalidRequest, Refusal


class InvalidUrl(InvalidRequest):
    code = "ONP400_URL"
    message = "The URL is not an HTTPS address on the public internet."
    advice = "error.fields says which rule the URL breaks."


class InvalidEvents(InvalidRequest):
    code = "ONP400_EVENTS"
    message = 'The events are not a list of known kinds without repetition, or exactly ["*"].'
    advice = "The reference lists every kind."


class TooManyEndpoints(Refusal):
    code = "ONP422_WEBHOOK_LIMIT"
    message = "A company has at most 20 webhook endpoints in each environment."
    advice = "Use an endpoint that you have; support can remove one that you do not need."
