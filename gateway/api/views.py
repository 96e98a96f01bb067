"""Django's own errors, as an envelope for API clients."""

import sys
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults

from accounts.base.errors import Refusal, Unavailable
from accounts.base.retryable import is_retryable
from gateway.api.errors import InternalError, refusal_for, response_for
from gateway.valkey import PASSES

log = structlog.get_logger()


def is_of_api(request: HttpRequest) -> bool:
    """Whether a program is asking, even if its path is not normalized: that is a 404 in the envelope."""
    return f"{request.path_info}/".lower().startswith("/api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not is_of_api(request):
        return defaults.bad_request(request, exception)
    return response_for(refusal_for(exception), request)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if not is_of_api(request):
        return defaults.permission_denied(request, exception or PermissionDenied())
    return response_for(refusal_for(PermissionDenied()), request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return forbidden(request)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not is_of_api(request):
        return defaults.page_not_found(request, exception)
    return response_for(refusal_for(Http404()), request)


def server_error(request: HttpRequest, *args: Any) -> HttpResponse:
    error = sys.exc_info()[1]
    refusal: Refusal = InternalError()
    if error is not None and (is_retryable(error) or isinstance(error, PASSES)):
        refusal = Unavailable()
        log.error("request.unavailable", error=type(error).__name__, cause=type(error.__cause__).__name__)
    else:
        log.exception("request.failed")
    if is_of_api(request):
        return response_for(refusal, request)
    page = defaults.server_error(request)
    page.status_code = refusal.status
    if refusal.retry_after_s is not None:
        page["Retry-After"] = str(refusal.retry_after_s)
    return page
