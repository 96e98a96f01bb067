"""Browser policies of the SDK's origin: only what a field needs."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

View = Callable[..., HttpResponse]


def on_sdk_origin(view: View) -> View:
    """Served on the origin of ONPAY_SDK_URL only, without cookies, and never cached."""

    @wraps(view)
    def served(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if f"{request.scheme}://{request.get_host()}" != settings.SDK_URL:
            raise Http404
        response = view(request, *args, **kwargs)
        response["Referrer-Policy"] = "no-referrer"
        response["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
        return response

    # No session and no cookie: the secret in the header, or the unguessable address, is the only credential.
    return never_cache(csrf_exempt(xframe_options_exempt(served)))


def framed(
    response: HttpResponse, ancestors: Sequence[str], more: Mapping[str, Sequence[str]] | None = None
) -> HttpResponse:
    """Allows these origins only to embed the page; `more` are further sources by directive."""
    policy = {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "frame-src": [settings.SDK_URL],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": list(ancestors),
    }
    for directive, sources in (more or {}).items():
        policy[directive] += sources
    response._csp_replace = policy  # type: ignore[attr-defined]
    return response


def published(content: bytes, *, lasts: str) -> HttpResponse:
    """A script that every page may load, and check the integrity of."""
    response = HttpResponse(content, content_type="text/javascript; charset=utf-8")
    response["Access-Control-Allow-Origin"] = "*"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    response["Cache-Control"] = f"public, {lasts}"
    return response
