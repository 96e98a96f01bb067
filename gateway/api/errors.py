"""Refusals of the contract itself, and the one place that turns every error into a response."""

from typing import Any, Literal

import structlog
from django.core.exceptions import DisallowedHost, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_noop as _
from rest_framework import exceptions as drf
from typing_extensions import TypedDict

from accounts.base.errors import InvalidRequest, Refusal, Unavailable
from accounts.base.retryable import is_retryable
from gateway.requests.envelope import body_of
from gateway.requests.errors import MalformedJson, UnsupportedMediaType
from gateway.requests.traced import traced
from gateway.serving.errors import BodyTooLarge

log = structlog.get_logger()


class WrongMemberPayload(TypedDict):
    """An invalid member of the request."""

    field: str
    code: Literal["REQUIRED", "INVALID", "TOO_SHORT", "TOO_LONG", "OUT_OF_RANGE", "NOT_ALLOWED", "UNKNOWN_VALUE"]
    message: str


class InvalidPagination(Refusal):
    code = "ONP400_PAGINATION"
    message = _("pageNumber must be at least 1, pageSize between 1 and 100, and after the id of an object of the list.")
    advice = _("Correct the parameter named in error.field.")


class InvalidFilter(Refusal):
    code = "ONP400_FILTER"
    message = _("A filter has an invalid value.")
    advice = _("error.fields says what each wrong parameter must be.")


class Unauthenticated(Refusal):
    code = "ONP401"
    message = _("The API key is missing or invalid.")
    advice = _("Send your key in the x-api-key header; sandbox keys work only in the sandbox.")


class PermissionMissing(Refusal):
    code = "ONP403"
    message = _("The API key lacks a required permission.")
    advice = _("error.field names the permission. Add it to the key, or use another key.")


class RouteUnknown(Refusal):
    code = "ONP404"
    message = _("No such route.")
    advice = _("Check the path against the API reference; a trailing slash makes it a different path.")


class CompanyUnknown(Refusal):
    code = "ONP404_COMPANY"
    message = _("Company not found.")
    advice = _("A key can only read its own company: check the id.")


class MethodNotAllowed(Refusal):
    code = "ONP405"
    message = _("Method not allowed for this path.")
    advice = _("The Allow header lists the methods of this path.")


class NotAcceptable(Refusal):
    code = "ONP406"
    message = _("None of the media types in the Accept header is available.")
    advice = _("Send Accept: application/json, or omit the header.")


class MalformedHttp(Refusal):
    code = "ONP400_HTTP"
    message = _("The request is not valid HTTP.")
    advice = _("The proxy rejected it: check the request line and headers against HTTP/1.1 or HTTP/2.")


class RateLimited(Refusal):
    code = "ONP429"
    message = _("Rate limit exceeded.")
    advice = _("Send the same request again with the same key after retryAfter seconds, with backoff and jitter.")
    retryable = True

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__()


class InternalError(Refusal):
    code = "ONP500"
    message = _("Something went wrong on our side.")
    advice = _(
        "Send the same request again with the same key; contact support with the requestId if the error persists."
    )
    retryable = True


class Unreachable(Refusal):
    code = "ONP502"
    message = _("The service is temporarily unreachable.")
    advice = _(
        "The proxy reports this. Send the same request again with the same key after retryAfter seconds, with backoff."
    )
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
}


def refusal_for(error: Exception) -> Refusal:
    """The refusal for an error; a bug becomes a generic one."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, DisallowedHost):
        return InvalidRequest(field="host")
    if is_retryable(error):
        return Unavailable()
    for kind in type(error).__mro__:
        if known := _TRANSLATED.get(kind):
            return known()
    return InternalError()


def response_for(refusal: Refusal, request: HttpRequest) -> HttpResponse:
    """The refusal as an HTTP response with its headers."""
    response = HttpResponse(
        body_of(refusal, traced(request).request_id),
        status=refusal.status,
        content_type="application/json",
    )
    if refusal.retry_after_s is not None:
        response["Retry-After"] = str(refusal.retry_after_s)
    if refusal.status == 401:
        response["WWW-Authenticate"] = "ApiKey"
    traced(request).refusal_code = refusal.public_code
    return response


def _log_error(error: Exception) -> None:
    """PostgreSQL errors repeat the failing row with its data: only their type is logged."""
    if isinstance(error, DatabaseError | InterfaceError):
        cause = error.__cause__
        constraint = getattr(getattr(cause, "diag", None), "constraint_name", None)
        state = getattr(cause, "sqlstate", None)
        log.error("api.database", error=type(error).__name__, sqlstate=state, constraint=constraint)
    else:
        log.error("api.failed", exc_info=error)


def answer(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """DRF's exception handler: every error of a view becomes an envelope."""
    refusal = refusal_for(error)
    if refusal.status >= 500 and not isinstance(error, Refusal):
        _log_error(error)
    response = response_for(refusal, context["request"]._request)
    if isinstance(refusal, MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response
