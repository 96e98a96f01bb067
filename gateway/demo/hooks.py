"""Two receivers of webhooks for the demo company: one that works, and one that is to be mended. Local mode only."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST


@csrf_exempt
@require_POST
def works(request: HttpRequest) -> HttpResponse:
    """Takes whatever comes."""
    _locally()
    return HttpResponse(status=204)


@csrf_exempt
@require_POST
def is_broken(request: HttpRequest) -> HttpResponse:
    """Parses the body and writes it again before it verifies: the usual mistake."""
    _locally()
    return HttpResponse("signature does not match", status=400, content_type="text/plain")


def _locally() -> None:
    if not settings.LOCAL:
        raise Http404
