"""Refusals about a request itself: its idempotency key, card numbers in it, and its log entry."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class CardDataSent(InvalidRequest):
    code = "ONP400_CARD_DATA"
    message = _("Card data must not be sent to this API.")
    advice = _("Collect cards with the secure fields: the number, expiry and CVV must never pass through your backend.")


class IdempotencyKeyMissing(Refusal):
    code = "ONP400_IDEMPOTENCY_KEY_MISSING"
    message = _("The idempotency-key header is required on every POST.")
    advice = _("Generate one UUID per order, store it, and send it with every attempt for that order.")


class IdempotencyKeyInvalid(Refusal):
    code = "ONP400_IDEMPOTENCY_KEY_INVALID"
    message = _("The idempotency-key header must be a single UUID.")
    advice = _("Send one UUID of 36 characters.")


class RequestUnknown(Refusal):
    code = "ONP404_REQUEST"
    message = _("Request not found.")
    advice = _("The log keeps your own requests made with a valid key, normally for 30 days: check the RequestId.")


class IdempotencyConflict(Refusal):
    code = "ONP409_IDEMPOTENCY_CONFLICT"
    message = _("This idempotency key was already used for a different request.")
    advice = _("error.fields names what differs. Repeat the original request with this key, or use a new key.")
    final = False


class IdempotencyInProgress(Refusal):
    code = "ONP409_IDEMPOTENCY_IN_PROGRESS"
    message = _("The first request with this idempotency key is still being processed.")
    advice = _("Repeat the same request with the same key after retryAfter seconds.")
    retryable = True
    retry_after_s = 1
    final = False


class MalformedJson(Refusal):
    code = "ONP400_MALFORMED_JSON"
    message = _("The body must be a single JSON object without duplicate keys.")
    advice = _("Send one UTF-8 JSON object, nested at most 20 levels deep, without NaN or Infinity.")


class UnsupportedMediaType(Refusal):
    code = "ONP415"
    message = _("The body must be application/json in UTF-8.")
    advice = _("Send Content-Type: application/json without Content-Encoding.")
