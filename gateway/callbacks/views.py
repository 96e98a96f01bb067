"""Messages of institutions: verified by their own means, stored as they are, and answered at once."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.base.client_address import client_address
from gateway.callbacks.certificates import certificate_of, names_of_certificates
from gateway.providers import messages
from gateway.providers.provider import Message
from gateway.serving.limits import CALLBACKS

_NOT_STORED = {"Cache-Control": "no-store"}


@csrf_exempt
@require_POST
def receive(request: HttpRequest, account_id: str, path: str = "") -> HttpResponse:
    """200 also for a repetition; 401 for a message that the institution has not sent, and for an unknown account."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    for name in names_of_certificates():
        headers.pop(name, None)
    source = client_address(request)
    message = Message(path, headers, request.body, certificate_of(request), str(source) if source else None)
    reply = messages.take(account_id, message)
    if reply and reply.body is not None:
        return JsonResponse(reply.body, headers=_NOT_STORED)
    return HttpResponse(status=200 if reply else 401, headers=_NOT_STORED)


receive.largest_body = CALLBACKS  # type: ignore[attr-defined]
