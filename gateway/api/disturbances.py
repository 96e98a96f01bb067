"""Responses that chaos mode disturbs: requests of companies in such a run only, in the sandbox only."""

from collections.abc import Callable

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path

from accounts.base.errors import Refusal, Unavailable
from accounts.models import Merchant
from gateway.api.errors import RateLimited
from gateway.chaos import answers
from gateway.chaos.disturbances import OF_GETS, OF_POSTS, AnswerDisturbance
from gateway.chaos.models import DisturbedRequest
from gateway.requests.errors import IdempotencyInProgress
from gateway.requests.idempotency import KeyedRequest, Stored
from gateway.requests.traced import traced
from webhooks.chaos import is_disturbed

MOVE_MONEY = frozenset(
    {
        "createPayment",
        "createPaymentLink",
        "createRefund",
        "confirmConversion",
        "createPixWithdrawal",
        "createSpeiWithdrawal",
        "createBankTransferWithdrawal",
        "createCryptoWithdrawal",
    }
)
"""The operations with POST that are disturbed."""
UNDISTURBED = "Sandbox"
"""The tag of what drives tests: also the operation that ends the run."""
OF_A_PROXY = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"


def read(request: HttpRequest, merchant: Merchant, tag: str) -> None:
    """Raises ONP429 instead of the first reading of a path."""
    if is_disturbed(merchant) and request.method == "GET" and tag != UNDISTURBED:
        path, request_id = escape_uri_path(request.path), traced(request).request_id
        found = answers.meet(merchant, OF_GETS, method="GET", path=path, request_id=request_id)
        if found:
            raise _refusal(found)


def write(attempt: KeyedRequest, name: str, perform: Callable[[], Stored]) -> Stored | HttpResponse:
    """The response of `perform`, or what a proxy says in its place. Raises what a disturbed request is refused with."""
    if name not in MOVE_MONEY or not is_disturbed(attempt.merchant):
        return perform()
    found = answers.meet(
        attempt.merchant,
        OF_POSTS,
        method=attempt.method,
        path=attempt.path,
        request_id=attempt.request_id,
        key=attempt.key,
    )
    if found is None:
        return perform()
    if found.kind != AnswerDisturbance.ANSWER_LOST:
        raise _refusal(found)
    return _lost(found, perform)


def _lost(found: DisturbedRequest, perform: Callable[[], Stored]) -> Stored | HttpResponse:
    """Only the response to something that was just done is lost."""
    try:
        stored = perform()
    except BaseException:
        found.delete()
        raise
    if stored.replayed or stored.status >= 300:
        found.delete()
        return stored
    made = orjson.loads(stored.body)["data"]
    found.object_id = made.get("id") or made["conversionId"]
    found.save(update_fields=["object_id"])
    return HttpResponse(OF_A_PROXY, status=502, content_type="text/html")


def _refusal(found: DisturbedRequest) -> Refusal:
    waits_s = found.retry_after_s or 1
    if found.kind == AnswerDisturbance.RATE_LIMITED:
        return RateLimited(waits_s)
    refusal = Unavailable() if found.kind == AnswerDisturbance.UNAVAILABLE else IdempotencyInProgress()
    refusal.retry_after_s = waits_s
    return refusal
