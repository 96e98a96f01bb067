"""Refusals of the contract itself, and the one place that turns whatever went wrong into an answer."""

from typing import Any, Literal

import structlog
from django.core.exceptions import DisallowedHost, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions as drf
from typing_extensions import TypedDict

from accounts.base.errors import InvalidRequest, Refusal, Unavailable
from gateway.requests.envelope import body_of
from gateway.requests.errors import MalformedJson, UnsupportedMediaType
from gateway.serving.errors import BodyTooLarge

log = structlog.get_logger()


class WrongMemberPayload(TypedDict):
    """A wrong member of the request."""

    field: str
    code: Literal["REQUIRED", "INVALID", "TOO_SHORT", "TOO_LONG", "OUT_OF_RANGE", "NOT_ALLOWED", "UNKNOWN_VALUE"]
    message: str


class InvalidPagination(Refusal):
    code = "ONP400_PAGINATION"
    message = "pageNumber is at least 1, pageSize between 1 and 100."
    advice = "Correct the parameter that error.field names."


class InvalidFilter(Refusal):
    code = "ONP400_FILTER"
    message = "A filter has a value that it cannot have."
    advice = "Correct the parameter that error.field names."


class Unauthenticated(Refusal):
    code = "ONP401"
    message = "The API key is missing or not valid."
    advice = "Send your key in the header x-api-key; a sandbox key works only in the sandbox."


class PermissionMissing(Refusal):
    code = "ONP403"
    message = "The API key lacks a permission."
    advice = "error.field names the permission. Give it to the key, or use another key."


class RouteUnknown(Refusal):
    code = "ONP404"
    message = "There is no such route."
    advice = "Compare the path with the reference; a trailing slash makes another path."


class CompanyUnknown(Refusal):
    code = "ONP404_COMPANY"
    message = "There is no such company."
    advice = "A key reads its own company only: compare the id."


class MethodNotAllowed(Refusal):
    code = "ONP405"
    message = "This route does not know the HTTP method."
    advice = "The header Allow lists the methods of the route."


class NotAcceptable(Refusal):
    code = "ONP406"
    message = "The answer has no form that the header Accept allows."
    advice = "Send Accept: application/json, or no Accept at all."


class MalformedHttp(Refusal):
    code = "ONP400_HTTP"
    message = "The request is not well-formed HTTP."
    advice = "The proxy says so: compare the request line and the headers with what HTTP/1.1 or HTTP/2 ask for."


class RateLimited(Refusal):
    code = "ONP429"
    message = "The rate limit is exceeded."
    advice = "Repeat the same request with the same key after retryAfter seconds, with backoff and jitter."
    retryable = True

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__()


class InternalError(Refusal):
    code = "ONP500"
    message = "Something went wrong on our side."
    advice = "Repeat the same request with the same key; tell support the requestId when it stays."
    retryable = True


class Unreachable(Refusal):
    code = "ONP502"
    message = "The service cannot be reached for a moment."
    advice = "The proxy says so. Repeat the same request with the same key after retryAfter seconds, with backoff."
    retryable = True
    retry_after_s = 5


class NoAnswerInTime(Refusal):
    code = "ONP504"
    message = "The service did not answer in time."
    advice = "The proxy says so: what was begun may be done. Repeat the same request with the same key to learn it."
    retryable = True
    retry_after_s = 5


_TRANSLATED: dict[type[Exception], type[Refusal]] = {
    Http404: RouteUnknown,
    drf.NotFound: RouteUnknown,
    drf.MethodNotAllowed: MethodNotAllowed,
    drf.NotAcceptable: NotAcceptable,
    drf.UnsupportedMediaType: UnsupportedMediaType,
    drf.NotAuthenticated: Unauthenticated,
    drf.AuthenticationFailed: Unauthenticated,
    drf.PermissionDenied: PermissionMissing,
    drf.ParseError: MalformedJson,
    RequestDataTooBig: BodyTooLarge,
    SuspiciousOperation: InvalidRequest,
    OperationalError: Unavailable,
    InterfaceError: Unavailable,
}


def refusal_for(error: Exception) -> Refusal:
    """What the outside is told about an error: a refusal speaks for itself, a bug says only that it is one."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, DisallowedHost):
        return InvalidRequest(field="host")
    for kind in type(error).__mro__:
        if known := _TRANSLATED.get(kind):
            return known()
    return InternalError()


def response_for(refusal: Refusal, request: HttpRequest) -> HttpResponse:
    """The refusal as an HTTP answer with the headers that belong to it."""
    response = HttpResponse(
        body_of(refusal, request.request_id),  # type: ignore[attr-defined]
        status=refusal.status,
        content_type="application/json",
    )
    if refusal.retry_after_s is not None:
        response["Retry-After"] = str(refusal.retry_after_s)
    if refusal.status == 401:
        response["WWW-Authenticate"] = "ApiKey"
    request.refusal_code = refusal.public_code  # type: ignore[attr-defined]
    return response


def _say(error: Exception) -> None:
    """PostgreSQL repeats the row that failed, and with it whose it is: of its errors only the kind is told."""
    if isinstance(error, DatabaseError | InterfaceError):
        cause = error.__cause__
        constraint = getattr(getattr(cause, "diag", None), "constraint_name", None)
        state = getattr(cause, "sqlstate", None)
        log.error("api.database", error=type(error).__name__, sqlstate=state, constraint=constraint)
    else:
        log.error("api.failed", exc_info=error)


def answer(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """DRF's exception handler: every error of a view becomes the contract's form."""
    refusal = refusal_for(error)
    if refusal.status >= 500 and not isinstance(error, Refusal):
        _say(error)
    response = response_for(refusal, context["request"]._request)
    if isinstance(refusal, MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response
