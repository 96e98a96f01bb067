"""Public pages: the reference, and the error codes."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.base.errors import catalogue
from accounts.base.wire import dumps
from gateway.api.deprecations import MEMBERS, NOTICE, Deprecation
from gateway.api.errors import MethodNotAllowed, response_for
from gateway.api.openapi.document import document, operations
from gateway.api.openapi.schemas import OPEN
from gateway.api.reference import changelog, guide
from gateway.api.reference.libraries import offered
from gateway.content_policy import INLINE_STYLES
from gateway.methods.registry import codes_of


@cache
def _document() -> bytes:
    return dumps(document())


def schema(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document; readable without a key."""
    if request.method not in ("GET", "HEAD"):
        response = response_for(MethodNotAllowed(), request)
        response["Allow"] = "GET, HEAD"
        return response
    return HttpResponse(_document(), content_type="application/json")


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """The interactive reference, served whole from here."""
    response = render(request, "docs/reference.html")
    response._csp_update = INLINE_STYLES  # type: ignore[attr-defined]
    return response


@require_safe
def sandbox(request: HttpRequest) -> HttpResponse:
    """Every payment method with a working order, and every scenario."""
    facts = {"ways": guide.ways(), "scenarios": guide.scenarios(), "base": settings.SANDBOX_BASE_URL}
    return render(request, "docs/sandbox.html", facts)


@require_safe
def cards(request: HttpRequest) -> HttpResponse:
    """How a shop takes cards: a page that works as pasted, test cards, saved cards."""
    return render(request, "docs/cards.html", guide.cards())


@require_safe
def money_out(request: HttpRequest) -> HttpResponse:
    """Withdrawals over every rail, and conversions, each with a working request."""
    return render(request, "docs/money_out.html", guide.money_out())


@require_safe
def webhooks(request: HttpRequest) -> HttpResponse:
    """How events arrive, how to verify them, and what to do if they do not."""
    return render(request, "docs/webhooks.html", guide.webhooks())


@require_safe
def libraries(request: HttpRequest) -> HttpResponse:
    """The client libraries, with how to install each."""
    return render(request, "docs/libraries.html", {"packages": offered()})


@require_safe
def library(request: HttpRequest, name: str) -> FileResponse:
    """One package, as a file."""
    for package in offered():
        if package.name == name:
            kind = "application/zip" if name.endswith(".whl") else "application/gzip"
            return FileResponse(package.path.open("rb"), as_attachment=True, filename=name, content_type=kind)
    raise Http404


@require_safe
def versioning(request: HttpRequest) -> HttpResponse:
    """What may change, how a removal is announced, and what is deprecated."""
    since = datetime(2027, 1, 1, tzinfo=UTC)
    sample = Deprecation(since, since + NOTICE).headers()
    facts = {
        "open_members": sorted(OPEN),
        "sample": "\n".join(f"{name}: {value}" for name, value in sample.items()),
        "operations": [(one.name, one.deprecated) for *_, one in operations() if one.deprecated],
        "members": [(member, instead) for (_, member), instead in MEMBERS.items()],
    }
    return render(request, "docs/versioning.html", facts)


@require_safe
def changes(request: HttpRequest) -> HttpResponse:
    """What merchants notice of each version."""
    return render(request, "docs/changelog.html", {"releases": changelog.releases()})


@require_safe
def changes_feed(request: HttpRequest) -> HttpResponse:
    """The same as an Atom feed."""
    return HttpResponse(changelog.feed(), content_type="application/atom+xml; charset=utf-8")


@require_safe
def errors(request: HttpRequest) -> HttpResponse:
    """Every error code explained; the target of `docUrl`."""
    return render(request, "docs/errors.html", {"classes": _error_classes()})


@cache
def _error_classes() -> list[dict[str, Any]]:
    titles = {
        "400": "Bad request",
        "401": "Not authenticated",
        "403": "Not allowed",
        "404": "Not found",
        "405": "Method not allowed",
        "406": "Not acceptable",
        "408": "Request timeout",
        "409": "Conflict with the current state",
        "410": "Gone",
        "413": "Body too large",
        "414": "URL too long",
        "415": "Unsupported media type",
        "422": "Understood but refused",
        "429": "Too many requests",
        "500": "Error on our side",
        "502": "Invalid response from the provider",
        "503": "Temporarily unavailable",
        "504": "No response in time",
    }
    by_status: dict[str, list[dict[str, Any]]] = {}
    for refusal in catalogue():
        by_status.setdefault(refusal.code[3:6], []).append(
            {
                "code": refusal.code,
                "anchors": codes_of(refusal),
                "message": refusal.message,
                "advice": refusal.advice,
                "retryable": refusal.retryable,
            }
        )
    return [{"status": status, "title": titles[status], "codes": found} for status, found in by_status.items()]
