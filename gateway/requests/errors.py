"""Refusals about a request as such: its idempotency key, card numbers in it, and its place in the log."""

from accounts.base.errors import InvalidRequest, Refusal


class CardDataSent(InvalidRequest):
    code = "ONP400_CARD_DATA"
    message = "Card data must never be sent here."
    advice = "Collect cards with the secure fields; number, expiry and CVV never pass your backend."


class IdempotencyKeyMissing(Refusal):
    code = "ONP400_IDEMPOTENCY_KEY_MISSING"
    message = "The header idempotency-key is required on every POST."
    advice = "Make one UUID for each order, keep it, and send it with every try for that order."


class IdempotencyKeyInvalid(Refusal):
    code = "ONP400_IDEMPOTENCY_KEY_INVALID"
    message = "The header idempotency-key is one UUID, sent once."
    advice = "Send a UUID of 36 characters, once."


class RequestUnknown(Refusal):
    code = "ONP404_REQUEST"
    message = "There is no such request."
    advice = "The log keeps your own requests with a valid key, for 30 days as a rule: compare the RequestId."


class IdempotencyConflict(Refusal):
    code = "ONP409_IDEMPOTENCY_CONFLICT"
    message = "The idempotency key was used for another request."
    advice = "Repeat the original request with this key, or use a new key for new content."
    final = False


class IdempotencyInProgress(Refusal):
    code = "ONP409_IDEMPOTENCY_IN_PROGRESS"
    message = "The first request with this idempotency key is still being worked on."
    advice = "Repeat the same request with the same key after retryAfter seconds."
    retryable = True
    retry_after_s = 1
    final = False


class MalformedJson(Refusal):
    code = "ONP400_MALFORMED_JSON"
    message = "The body is not one JSON object with every member named once."
    advice = "Send one UTF-8 JSON object, nested at most 20 deep, without NaN or Infinity."


class UnsupportedMediaType(Refusal):
    code = "ONP415"
    message = "The body is not application/json in UTF-8."
    advice = "Send Content-Type: application/json and no Content-Encoding."
