"""The payer's page: the hosted card page, or the checkout of other methods."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from gateway.payer.checkout.pages import checkout
from gateway.payer.sdk.pages import hosted
from gateway.payments import links


@csrf_exempt  # as both pages are: the address is the credential
def payers_page(request: HttpRequest, token: str) -> HttpResponse:
    """A token opens one of the two."""
    page = hosted if links.of_hosted_card_page(token) else checkout
    return page(request, token=token)
