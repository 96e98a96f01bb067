"""Removing a saved card of a customer."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.audit import Actor
from accounts.roles import May
from gateway.customers import selectors as customers
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.saved_cards import selectors, services


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.REFUND)
def remove_saved_card(request: HttpRequest, here: RequestContext, customer_id: str, token: str) -> HttpResponse:
    """Asks for confirmation, then removes the card."""
    customer = customers.get(here.merchant, customer_id)
    card = selectors.get(here.merchant, customer.pk, token)
    if request.method == "POST":
        services.remove(
            here.merchant, card.pk, services.DASHBOARD, customer_id=customer.pk, actor=Actor.of(here.request)
        )
        return here.redirect("customer", customer.pk, message=_("The card was removed."))
    return here.render("customers/remove_card.html", customer=customer, card=card)
