"""A customer: contact data, payments and totals."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.customers import selectors as customers
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.customers.list import SIZE
from gateway.dashboard.paging import page_of
from gateway.payments.customers import standings
from gateway.payments.search import Search, found
from gateway.refunds.selectors import listed as refunds_listed
from gateway.saved_cards.selectors import listed as saved_cards

SHOWN_REFUNDS, SHOWN_CARDS = 20, 50


@require_safe
@page_view(May.READ_PAYMENTS)
def customer(request: HttpRequest, here: RequestContext, customer_id: str) -> HttpResponse:
    known = customers.get(here.merchant, customer_id)
    theirs = found(here.merchant, Search(customer_id=known.pk))
    return here.render(
        "customers/detail.html",
        customer=known,
        standing=standings(here.merchant, [known])[known.pk],
        counts=[(status, count) for status, count in theirs.counts().items() if count.number],
        page=page_of(theirs.rows, request.GET, SIZE),
        cards=saved_cards(here.merchant, known.pk)[:SHOWN_CARDS],
        refunds=refunds_listed(here.merchant, customer_id=known.pk)[:SHOWN_REFUNDS],
    )
