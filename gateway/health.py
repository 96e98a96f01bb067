"""Health checks: for load balancers, which use IP addresses and http, and for the operator."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from accounts.base.client_address import client_address
from accounts.base.wire import dumps
from accounts.clock_check import clock_check
from accounts.environments import served
from accounts.heartbeats import WORKERS, is_alive
from gateway.api import throttling
from ledger.proofs import selectors as proofs

NEEDED = ("web", "database", "clock", "cache", "worker", "proof")
"""Of workers, those of the environments that this process serves. Without a dispatcher the worker delivers."""


class ProbesMiddleware:
    """Answers /health/live and /health/ready before host, scheme and address are checked.

    `live`: this process answers; restart it if it does not. `ready`: it reaches the database,
    whose clock agrees with its own; send no requests if not. A late worker affects neither.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info in ("/health/live", "/health/ready"):
            return probe(request)
        return self.get_response(request)


@require_safe
def probe(request: HttpRequest) -> HttpResponse:
    return _answer(request.path_info == "/health/live" or (_database_is_up() and _clock_is_right()))


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """200 if everything required is up, else 503; parts are named to operators only."""
    parts = {"web": True, "database": _database_is_up(), "cache": throttling.is_up()}
    parts["clock"] = parts["database"] and _clock_is_right()
    parts["worker"] = parts["database"] and all(is_alive(WORKERS[environment]) for environment in served())
    parts["dispatcher"] = parts["database"] and is_alive("dispatcher")
    parts["proof"] = parts["database"] and proofs.is_well()
    details = {"parts": parts} if _may_see_details(request, database=parts["database"]) else {}
    return _answer(all(parts[part] for part in NEEDED), **details)


def _may_see_details(request: HttpRequest, *, database: bool) -> bool:
    """Local requests, the operator's token, or signed-in staff."""
    address = client_address(request)
    if settings.LOCAL or (address is not None and address.is_loopback):
        return True
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if settings.HEALTH_TOKEN and scheme.lower() == "bearer":
        return constant_time_compare(token.strip(), settings.HEALTH_TOKEN)
    return database and admin.site.has_permission(request)


def _answer(is_up: bool, **details: Any) -> HttpResponse:
    body = dumps({"status": "up" if is_up else "down", **details})
    return HttpResponse(body, status=200 if is_up else 503, content_type="application/json")


def _database_is_up() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def _clock_is_right() -> bool:
    try:
        return clock_check.is_right()
    except Error:
        return False
