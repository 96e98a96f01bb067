"""What can go wrong with a call. Neither the key nor the body of the request is in a message or a `repr`."""

from collections.abc import Mapping
from datetime import datetime, timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any, Optional


class OnpayError(Exception):
    """Every error of this library."""

    retryable = False
    retry_after: Optional[float] = None


class SignatureError(OnpayError):
    """A delivery is not from Onpay, was changed, or is too old: answer 400 and do nothing."""


class ConnectionFailed(OnpayError):
    """No answer arrived: the call may have had its effect. Repeat a POST with this `idempotency_key` to find out."""

    retryable = True

    def __init__(self, reason: str, idempotency_key: Optional[str]) -> None:
        super().__init__(f"no answer: {reason}")
        self.idempotency_key = idempotency_key


class APIError(OnpayError):
    """The service refused the call: `code` is for programs, `message` for people."""

    def __init__(
        self, status: int, error: Mapping[str, Any], request_id: Optional[str], idempotency_key: Optional[str]
    ) -> None:
        self.status = status
        self.code: str = error.get("code") or f"HTTP_{status}"
        self.message: str = error.get("message") or "The answer is not one of this API."
        self.retryable = bool(error.get("retryable", status in (429, 502, 503, 504)))
        self.retry_after: Optional[float] = error.get("retryAfter")
        self.request_id: Optional[str] = error.get("requestId") or request_id
        self.doc_url: Optional[str] = error.get("docUrl")
        self.field: Optional[str] = error.get("field")
        self.fields: list[dict[str, str]] = error.get("fields") or []
        self.payment_id: Optional[str] = error.get("paymentId")
        self.details: Mapping[str, Any] = error
        self.idempotency_key = idempotency_key
        field = f" ({self.field})" if self.field else ""
        super().__init__(f"{self.code}{field}: {self.message} [{self.request_id}] {self.doc_url or ''}".rstrip())


class BadRequest(APIError):
    """400 and its relatives: `field` and `fields` name what is wrong."""


class AuthenticationFailed(APIError):
    """401: the key is missing, unknown, revoked, or of the other environment."""


class PermissionDenied(APIError):
    """403: the key, the address or the company may not do this."""


class NotFound(APIError):
    """404."""


class Conflict(APIError):
    """409: the state of the object, a reference in use, or the idempotency key."""


class Refused(APIError):
    """422: understood, and refused by a rule or a provider."""


class RateLimited(APIError):
    """429: `retry_after` seconds are left."""


class ServerError(APIError):
    """5xx: the call may have had its effect. Repeat a POST with this `idempotency_key`."""


KINDS = {401: AuthenticationFailed, 403: PermissionDenied, 404: NotFound, 409: Conflict, 422: Refused, 429: RateLimited}


def error_of(status: int, body: Any, headers: Mapping[str, str], idempotency_key: Optional[str]) -> APIError:
    """The error of an answer, also of one that a proxy wrote."""
    error = body.get("error") if isinstance(body, dict) else None
    told = dict(error) if isinstance(error, dict) and isinstance(error.get("code"), str) else {}
    told["retryAfter"] = _seconds(told.get("retryAfter", headers.get("retry-after")))
    kind = KINDS.get(status, ServerError if status >= 500 else BadRequest)
    return kind(status, told, headers.get("requestid"), idempotency_key)


def _seconds(wait: Any) -> Optional[float]:
    """A wait in seconds; a header may also name a moment. None where it is neither."""
    if isinstance(wait, str):
        wait = int(wait) if wait.isascii() and wait.isdigit() and len(wait) < 10 else _seconds_until(wait)
    if isinstance(wait, bool) or not isinstance(wait, (int, float, Decimal)):
        return None
    return (wait if isinstance(wait, int) else float(wait)) if wait >= 0 else None


def _seconds_until(moment: str) -> Optional[float]:
    try:
        at = parsedate_to_datetime(moment)
    except (ValueError, TypeError):
        return None
    left = at.replace(tzinfo=at.tzinfo or timezone.utc) - datetime.now(timezone.utc)
    return max(left.total_seconds(), 0)
