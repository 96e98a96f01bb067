"""Django's own errors, as an envelope for API clients."""

from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults

from gateway.api.errors import refusal_for, response_for

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
    log.exception("request.failed")
    if not is_of_api(request):
        return defaults.server_error(request)
    return response_for(refusal_for(Exception()), request)
