"""Two webhook receivers of the demo company: a working one, and a broken one. Local mode only."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST


@csrf_exempt
@require_POST
def works(request: HttpRequest) -> HttpResponse:
    """Accepts everything."""
    _locally()
    return HttpResponse(status=204)


@csrf_exempt
@require_POST
def is_broken(request: HttpRequest) -> HttpResponse:
    """Parses and re-serializes the body before it verifies: a common mistake."""
    _locally()
    return HttpResponse("signature does not match", status=400, content_type="text/plain")


def _locally() -> None:
    if not settings.LOCAL:
        raise Http404
