"""Handles requests that the server rejected while reading, and bodies that are too large for their page.

The API handles its own: an unknown path or a missing key is reported first.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from accounts.base.errors import Refusal
from gateway.requests.traced import traced
from gateway.serving.errors import BodyTooLarge
from gateway.serving.limits import API, largest_body

REFUSAL = "onpay.refusal"


class BodyMiddleware:
    """Does not read a body that is too large for its page, whatever the server in front of Django is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return self.get_response(request)
        refusal = refused_by_server(request) or (BodyTooLarge() if _is_too_large(request) else None)
        return _refuse(request, refusal) if refusal else self.get_response(request)


def refused_by_server(request: HttpRequest) -> Refusal | None:
    """Why the server did not read the whole request; None if it did."""
    return request.META.get(REFUSAL)


def _is_too_large(request: HttpRequest) -> bool:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()):
        return True
    return int(length) > 0 and int(length) > (largest_body(str(request.method), request.path_info) or int(length))


def _refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    traced(request).refusal_code = refusal.public_code
    if refusal.status == 413:
        return render(request, "413.html", status=413)
    response = HttpResponse(refusal.message, status=refusal.status, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    if refusal.retry_after_s is not None:
        response["Retry-After"] = str(refusal.retry_after_s)
    return response
