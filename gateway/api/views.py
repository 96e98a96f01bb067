"""Django's own errors, in the contract's form wherever a program may be reading."""

from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults

from gateway.api.errors import refusal_for, response_for

log = structlog.get_logger()


def _is_for_people(request: HttpRequest) -> bool:
    return not request.path_info.startswith("/api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_for_people(request):
        return defaults.bad_request(request, exception)
    return response_for(refusal_for(exception), request)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if _is_for_people(request):
        return defaults.permission_denied(request, exception or PermissionDenied())
    return response_for(refusal_for(PermissionDenied()), request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return forbidden(request)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_for_people(request):
        return defaults.page_not_found(request, exception)
    return response_for(refusal_for(Http404()), request)


def server_error(request: HttpRequest, *args: Any) -> HttpResponse:
    log.exception("request.failed")
    if _is_for_people(request):
        return defaults.server_error(request)
    return response_for(refusal_for(Exception()), request)
