"""Runs for every request before a view: its id, its log line, the rate limit of its address."""

import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from accounts.base import cells
from accounts.base.client_address import rate_limit_key
from accounts.base.counters import REQUEST_SECONDS, REQUESTS
from accounts.base.ids import new_id
from accounts.base.tracing import following, span
from gateway.api import throttling
from gateway.api.errors import RateLimited, response_for
from gateway.api.views import is_of_api
from gateway.cells.finding import cell_named_in, cell_of_id, cell_with, found_again
from gateway.database.pool import PoolCounts
from gateway.payment_links.models import PaymentLink
from gateway.receipts.verification import object_id
from gateway.requests import log as requests
from gateway.requests.facts import facts_of
from gateway.requests.traced import REQUEST_ID, traced
from gateway.serving.limits import match_of
from gateway.serving.middleware import refused_by_server

log = structlog.get_logger()
PAYERS = ("/sdk/", "/checkout/")
LINKS, LOGOS, RECEIPTS = "/pay/", "/logos/", "/receipts/"
LONGEST_TOKEN = 40
# These addresses are credentials: the log keeps the id of the payment or card, if it has one, and drops the rest.
_SECRET_IN_PATH = re.compile(r"^(/(?:checkout|sdk/v1/3ds|saved-cards)/(?:pay|pmt)_[0-9A-Z]{26})[^0-9A-Z].*|^(/pay/).+")
OUR_FAULT = 500
KNOWN_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
pool_counts = PoolCounts()
GetResponse = Callable[[HttpRequest], HttpResponseBase]


class RequestIdMiddleware:
    """Gives every request an id, returns it in the response and logs one line; the merchant's request log gets the
    details.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request_id = request.META.get(REQUEST_ID) or new_id("req")
        traced(request).request_id = request_id
        with following(request_id), cells.opened(cells.FIRST):
            return self._answered(request, request_id)

    def _answered(self, request: HttpRequest, request_id: str) -> HttpResponseBase:
        began = time.perf_counter()
        with span("request", kind="server") as told:
            response = self.get_response(request)
            method, route = _labels(request)
            told(
                {
                    "http.request.method": method,
                    "http.route": route,
                    "http.response.status_code": response.status_code,
                },
                name=f"{method} {route}",
                failed=response.status_code >= OUR_FAULT,
            )
        response["RequestId"] = request_id
        elapsed_s = time.perf_counter() - began
        note(
            str(request.method),
            _SECRET_IN_PATH.sub(r"\1\2…", request.path),
            response.status_code,
            elapsed_s,
            code=getattr(request, "refusal_code", None),
            merchant=getattr(request, "merchant_id", None),
        )
        count(method, route, response.status_code, elapsed_s)
        if hasattr(request, "api_key_id") and isinstance(response, HttpResponse):
            requests.keep(partial(facts_of, request, response, elapsed_s))
        return response


def note(method: str, path: str, status: int, elapsed_s: float, *, code: str | None, merchant: int | None) -> None:
    """The line of an answered request in the log."""
    ms = round(elapsed_s * 1000, 1)
    log.info("request", method=method, path=path, status=status, code=code, merchant=merchant, ms=ms)


def count(method: str, route: str, status: int, elapsed_s: float) -> None:
    """Counts an answered request for Prometheus."""
    REQUESTS.labels(method, route, status).inc()
    REQUEST_SECONDS.labels(method, route).observe(elapsed_s)
    pool_counts.take()


def _labels(request: HttpRequest) -> tuple[str, str]:
    """Method and path pattern. What matches no path of ours, and methods that nobody knows, are one label each."""
    method = request.method if request.method in KNOWN_METHODS else "other"
    return str(method), getattr(request.resolver_match, "route", None) or "unknown"


class PayersMiddleware:
    """Payers' pages and calls: limited by address, and the only ones on the origin that handles cards.

    A script running on another page of that origin could read what is typed into the fields.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if is_only_for_cards(request.get_host) and not path.startswith((*PAYERS, LOGOS, settings.STATIC_URL)):
            return HttpResponse(status=404)
        if path.startswith((*PAYERS, LINKS, LOGOS, RECEIPTS, "/saved-cards/")):
            for scope, who in _limits(request, path):
                verdict = throttling.hit(scope, who)
                if not verdict.admitted:
                    return HttpResponse(status=429, headers={"Retry-After": str(verdict.reset_s)})
            return found_again(request, lambda: _cell_of_what_is_paid(request, path), self.get_response)
        return self.get_response(request)


def _cell_of_what_is_paid(request: HttpRequest, path: str) -> str:
    """Payers have no key: the cell is that of the payment, link, receipt or card that they name."""
    if path.startswith(LINKS):
        return cell_with(PaymentLink, token=path[len(LINKS) :][:LONGEST_TOKEN])
    if path.startswith(RECEIPTS):
        return cell_of_id(object_id(path[len(RECEIPTS) :]) or "")
    return cell_named_in(f"{path} {request.headers.get('Authorization', '')}")


def _limits(request: HttpRequest, path: str) -> list[tuple[str, str]]:
    """What limits a payer's call, and for whom: what begins a payment at a link also has limits of its own."""
    address = rate_limit_key(request)
    if path.startswith(LINKS) and request.method == "POST":
        return [("payers", address), ("link_payers", address), ("payment_links", path[len(LINKS) :][:40])]
    return [("payers", address)]


def is_only_for_cards(host: Callable[[], str]) -> bool:
    """Whether `host`, to which a request was sent, is that of the SDK's origin. On a developer's machine it is also the
    service's own.
    """
    own = settings.SDK_URL not in (settings.BASE_URL, settings.SANDBOX_BASE_URL)
    return own and not settings.LOCAL and host() == urlsplit(settings.SDK_URL).netloc


class ApiMiddleware:
    """Serves /api/: the limit of the address comes first, and nothing is cached.

    Middleware for pages (sessions, CSRF tokens, messages, browser policies) is skipped.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.pages = get_response
        self.api = cast(Callable[[HttpRequest], HttpResponse], convert_exception_to_response(_serve))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_of_api(request) or _must_be_redirected(request):
            return self.pages(request)
        verdict = throttling.counted(request, "all")
        traced(request).rate_limits = [verdict]
        refused = refused_by_server(request) if verdict.admitted else RateLimited(verdict.reset_s)
        response = response_for(refused, request) if refused else self.api(request)
        for name, value in headers(response.content, traced(request).rate_limits).items():
            response[name] = value
        return response


def headers(body: bytes, verdicts: Sequence[throttling.RateLimitVerdict]) -> dict[str, str]:
    """Those of every answer of the API."""
    found = throttling.headers(verdicts) | {
        "Cache-Control": "no-store",
        "Content-Length": str(len(body)),
        "X-Content-Type-Options": "nosniff",
    }
    if settings.SECURE_HSTS_SECONDS:
        found["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains"
    return found


def _must_be_redirected(request: HttpRequest) -> bool:
    return settings.SECURE_SSL_REDIRECT and not request.is_secure()


def _serve(request: HttpRequest) -> HttpResponse:
    request.get_host()  # raises for a host that is not ours
    match = match_of(request.path_info)
    request.resolver_match = match
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    return response
