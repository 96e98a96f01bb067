"""Attributes that the service stores on a request."""

from typing import Any, cast

from django.http import HttpRequest

REQUEST_ID = "onpay.request_id"
"""In the environment of a request whose id the server has chosen."""
RATE_LIMITS = "onpay.rate_limits"
"""In the environment of a request that the fast path has counted and declined: the verdicts, by scope."""


class TracedRequest(HttpRequest):
    """A request as `RequestIdMiddleware` and the API fill it in; the key and its merchant once they are known."""

    request_id: str
    cell: str
    merchant_id: int
    api_key_id: str
    rate_limits: list[Any]
    refusal_code: str | None


def traced(request: HttpRequest) -> TracedRequest:
    """The same request, typed with these attributes."""
    return cast(TracedRequest, request)
