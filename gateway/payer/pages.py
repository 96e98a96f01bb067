"""The payer's page: the hosted card page, the page of a payment made with a link, or the checkout."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from gateway.payer.checkout.pages import checkout
from gateway.payer.payment_links.payments import payment_page
from gateway.payer.sdk.pages import hosted
from gateway.payments import links


@csrf_exempt  # as all of them are: the address is the credential
def payers_page(request: HttpRequest, token: str) -> HttpResponse:
    """A token opens one of them."""
    if links.of_hosted_card_page(token):
        return hosted(request, token=token)
    page = payment_page if links.of_payment_page(token) else checkout
    return page(request, token=token)
