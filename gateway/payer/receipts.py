"""The page that verifies a receipt and shows later refunds."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language_from_request
from django.views.decorators.http import require_safe

from gateway.receipts import payouts
from gateway.receipts.facts import facts
from gateway.receipts.selectors import verified
from gateway.receipts.words import BY_LANGUAGE, ENGLISH, ReceiptWords
from gateway.withdrawals.models import Withdrawal


@require_safe
def receipt(request: HttpRequest, receipt_id: str) -> HttpResponse:
    """200 for the right code of a receipt; otherwise always the same 404."""
    found = verified(receipt_id, request.GET.get("code", ""))
    if found:
        shown = payouts.facts(found) if isinstance(found, Withdrawal) else facts(found)
        response = render(request, "receipts/receipt.html", {"facts": shown, "words": shown.words})
    else:
        response = render(request, "receipts/unknown.html", {"words": _words_of_reader(request)}, status=404)
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"  # the address contains the code
    response["X-Robots-Tag"] = "noindex"
    return response


def _words_of_reader(request: HttpRequest) -> ReceiptWords:
    """An unknown receipt has no market: the browser's language is used."""
    return BY_LANGUAGE.get(get_language_from_request(request).partition("-")[0], ENGLISH)
