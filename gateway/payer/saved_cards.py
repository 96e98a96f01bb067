"""The page on which payers remove a card that a company saved."""

from contextlib import suppress

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from gateway.payer.checkout.languages import in_their_language
from gateway.saved_cards import links, selectors, services
from gateway.saved_cards.errors import SavedCardUnknown


@csrf_exempt  # the address is the credential: there is no session and no cookie to forge
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_their_language
def saved_card(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the card and who saved it, and removes it. 404 for an invalid token."""
    card = selectors.named_by_link(links.of_removal_page(token) or "")
    if card is None:
        raise Http404
    if request.method == "POST":
        with suppress(SavedCardUnknown):  # it was removed before
            services.remove(card.merchant, card.pk, services.PAYER)
        return HttpResponseRedirect(request.path, status=303)
    facts = {
        "card": card,
        "company": card.merchant.company.trade_name,
        "sandbox": card.merchant.environment == "SANDBOX",
    }
    response = render(request, "saved_cards/page.html", facts)
    response["Referrer-Policy"] = "no-referrer"
    return response
