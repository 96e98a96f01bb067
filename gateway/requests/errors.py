"""Refusals about a request itself: its idempotency key, card numbers in it, and its log entry."""

from accounts.base.errors import InvalidRequest, Refusal


class CardDataSent(InvalidRequest):
    code = "ONP400_CARD_DATA"
    message = "Card data must not be sent to this API."
    advice = "Collect cards with the secure fields: the number, expiry and CVV must never pass through your backend."


class IdempotencyKeyMissing(Refusal):
    code = "ONP400_IDEMPOTENCY_KEY_MISSING"
    message = "The idempotency-key header is required on every POST."
    advice = "Generate one UUID per order, store it, and send it with every attempt for that order."


class IdempotencyKeyInvalid(Refusal):
    code = "ONP400_IDEMPOTENCY_KEY_INVALID"
    message = "The idempotency-key header must be a single UUID."
    advice = "Send one UUID of 36 characters."


class RequestUnknown(Refusal):
    code = "ONP404_REQUEST"
    message = "Request not found."
    advice = "The log keeps your own requests made with a valid key, normally for 30 days: check the RequestId."


class IdempotencyConflict(Refusal):
    code = "ONP409_IDEMPOTENCY_CONFLICT"
    message = "This idempotency key was already used for a different request."
    advice = "error.fields names what differs. Repeat the original request with this key, or use a new key."
    final = False


class IdempotencyInProgress(Refusal):
    code = "ONP409_IDEMPOTENCY_IN_PROGRESS"
    message = "The first request with this idempotency key is still being processed."
    advice = "Repeat the same request with the same key after retryAfter seconds."
    retryable = True
    retry_after_s = 1
    final = False


class MalformedJson(Refusal):
    code = "ONP400_MALFORMED_JSON"
    message = "The body must be a single JSON object without duplicate keys."
    advice = "Send one UTF-8 JSON object, nested at most 20 levels deep, without NaN or Infinity."


class UnsupportedMediaType(Refusal):
    code = "ONP415"
    message = "The body must be application/json in UTF-8."
    advice = "Send Content-Type: application/json without Content-Encoding."
