"""Requests for an environment that another process serves: pages say so, and where it is."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from accounts.environments import base_url
from accounts.errors import EnvironmentNotServed
from gateway.api.errors import response_for
from gateway.api.views import is_of_api


class MisdirectedMiddleware:
    """Answers for views that let EnvironmentNotServed pass."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, EnvironmentNotServed):
            return None
        if is_of_api(request):
            return response_for(exception, request)
        facts = {"refusal": exception, "address": _address(request, exception.environment)}
        return render(request, "misdirected.html", facts, status=exception.status)


def _address(request: HttpRequest, environment: str) -> str | None:
    """The same page where it is served. Payers' pages are not looked for elsewhere: their links are complete."""
    if not request.path_info.startswith("/dashboard/") or request.method not in ("GET", "HEAD"):
        return None
    return base_url(environment) + request.get_full_path()
