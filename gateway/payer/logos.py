"""Logos of companies, on the pages that payers see."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts import logos


@require_safe
def logo(request: HttpRequest, name: str) -> HttpResponse:
    """The image of a name: it never changes. 404 for any other name."""
    content = logos.content_of(name)
    if content is None:
        raise Http404
    response = HttpResponse(content, content_type="image/png")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    return response
