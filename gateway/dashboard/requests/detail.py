"""One request, redacted, and its result."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.environments import base_url
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.curl import as_curl
from gateway.dashboard.requests.words import meaning_of
from gateway.requests import selectors
from gateway.requests.models import ApiRequest


@require_safe
@page_view(May.READ_TECHNICAL)
def detail(request: HttpRequest, here: RequestContext, request_id: str) -> HttpResponse:
    """One request, redacted, and its result."""
    story = selectors.story(here.merchant, request_id)
    asked = story.request
    return here.render(
        "requests/detail.html", story=story, row=asked, meaning=meaning_of(asked.code), curl=_curl(here, asked)
    )


def _curl(here: RequestContext, asked: ApiRequest) -> str:
    """The same request with a key of one's own and a new idempotency key."""
    base = base_url(here.merchant.environment)
    headers = {"x-api-key": "$ONPAY_API_KEY"}
    if asked.method == "POST":
        headers["idempotency-key"] = "$(uuidgen)"
    if asked.request_body:
        headers["content-type"] = "application/json"
    query = f"?{asked.query}" if asked.query else ""
    return as_curl(asked.method, f"{base}{asked.path}{query}", headers, asked.request_body or "")
