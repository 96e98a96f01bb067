"""The global search: an id or a single match redirects to its page, several are listed by kind."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db.models import Model, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import NoReverseMatch
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from accounts.models import Merchant
from accounts.roles import May
from gateway.conversions.models import Conversion
from gateway.customers import selectors as customers
from gateway.customers.models import Customer
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.links import PAGES
from gateway.dashboard.navigation import menu
from gateway.dashboard.search_related import related
from gateway.payment_links.models import PaymentLink
from gateway.payments.models import Payment
from gateway.payments.search import Search, found
from gateway.payments.selectors import listed
from gateway.refunds.models import Refund
from gateway.withdrawals.models import Withdrawal
from ledger.receivables.models import Advance, Receivable
from webhooks.models import Delivery, Endpoint, Event

SHOWN = 5
LONGEST = 200
_ID = re.compile(r"(?<![a-z0-9])([a-z]{3})_([0-7][0-9a-hjkmnp-tv-z]{25})(?![a-z0-9])", re.IGNORECASE)
_WRAPPED = "\"'`<>()[]{},;"
_TABLES: dict[str, type[Model]] = {
    "pay": Payment, "plk": PaymentLink, "ref": Refund, "cus": Customer, "wdr": Withdrawal, "cnv": Conversion,
    "adv": Advance, "whk": Endpoint, "evt": Event,
}  # fmt: skip


@dataclass(frozen=True)
class Results:
    """The first matches of each kind. `is_all`: there are no more payments."""

    pages: list[tuple[Any, str]]
    payments: list[Payment]
    is_all: bool
    customers: list[Customer]
    refunds: list[Refund]
    withdrawals: list[Withdrawal]

    @property
    def is_empty(self) -> bool:
        return not any(chain(self.pages, self.payments, self.customers, self.refunds, self.withdrawals))

    @property
    def ids(self) -> list[str]:
        """Of the records, without customers."""
        return [row.pk for row in chain(self.payments, self.refunds, self.withdrawals)]


@require_safe
@page_view(May.READ_PAYMENTS)
def search(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """An id may be part of any text: a link, a log line, a piece of JSON."""
    asked = request.GET.get("q", "").strip().strip(_WRAPPED).strip()[:LONGEST].replace("\0", "")
    if named := _ID.search(asked):
        return _named(here, asked, named[1].lower(), named[2].upper())
    if not asked:
        return HttpResponseRedirect(here.to("payments"))
    results = _results(here, asked)
    beside = related(here, asked, results.ids)
    if not beside.rows:
        if only := _only(here, results):
            return HttpResponseRedirect(only)
        if results.payments and not any((results.pages, results.customers, results.refunds, results.withdrawals)):
            return HttpResponseRedirect(f"{here.to('payments')}?{urlencode({'q': asked})}")
    return here.render("search.html", asked=asked, results=results, beside=beside, query=urlencode({"q": asked}))


def _named(here: RequestContext, asked: str, prefix: str, rest: str) -> HttpResponse:
    """Redirects to the page of an id, also in the other environment."""
    object_id = f"{prefix}_{rest}"
    if prefix == "rcp":  # a payment has one receipt
        prefix, object_id = "pay", f"pay_{rest}"
    if prefix == "rcv":
        owner = Receivable.objects.filter(merchant=here.merchant, pk=object_id).values_list("payment_id", flat=True)
        prefix, object_id = "pay", owner.first() or object_id
    if prefix == "dlv" and (address := _delivery(here, object_id)):
        return HttpResponseRedirect(address)
    if prefix == "aud" and here.may(May.READ_TRAIL):
        return HttpResponseRedirect(f"{here.to('audit')}?{urlencode({'object_id': object_id})}")
    name, needs = PAGES.get(prefix, ("", May.READ_PAYMENTS))
    elsewhere = _in_other_environment(here, prefix, object_id)
    if not name or elsewhere or not here.may(needs) or not _has_page(here, name, object_id):
        return here.render("search.html", asked=asked, elsewhere=elsewhere, object_id=object_id, name=name)
    return HttpResponseRedirect(here.to(name, object_id))


def _delivery(here: RequestContext, object_id: str) -> str | None:
    """The page of a delivery, which is below that of its endpoint."""
    found = Delivery.objects.filter(pk=object_id, endpoint__merchant=here.merchant)
    endpoint_id = found.values_list("endpoint_id", flat=True).first() if here.may(May.READ_TECHNICAL) else None
    return here.to("delivery", endpoint_id, object_id) if endpoint_id else None


def _in_other_environment(here: RequestContext, prefix: str, object_id: str) -> Merchant | None:
    """The same company in its other environment, if the id exists there."""
    table = _TABLES.get(prefix)
    if table is None:
        return None
    other = Merchant.objects.filter(company=here.company).exclude(pk=here.merchant.pk).first()
    rows = table._default_manager.filter(pk=object_id, merchant=other)
    return other if rows.exists() else None


def _has_page(here: RequestContext, name: str, object_id: str) -> bool:
    """Whether there is a page for this kind of id, existing or not."""
    try:
        here.to(name, object_id)
    except NoReverseMatch:
        return False
    return True


def _results(here: RequestContext, asked: str) -> Results:
    """Payments with exactly this reference come first, since it may be a prefix of others."""
    merchant = here.merchant
    payments = list(listed(merchant, reference=asked)[: SHOWN + 1])
    payments = payments or list(found(merchant, Search(text=asked)).rows[: SHOWN + 1])
    named = Refund.objects.filter(Q(reference=asked) | Q(end_to_end_id=asked), merchant=merchant)
    withdrawn = Withdrawal.objects.filter(Q(reference=asked) | Q(rail_reference=asked), merchant=merchant)
    return Results(
        pages=list(_pages(here, asked)),
        payments=payments[:SHOWN],
        is_all=len(payments) <= SHOWN,
        customers=list(customers.found(merchant, asked)[:SHOWN]),
        refunds=list(named.order_by("-created_at")[:SHOWN]),
        withdrawals=list(withdrawn.order_by("-created_at")[:SHOWN]) if here.may(May.READ_MONEY) else [],
    )


def _pages(here: RequestContext, asked: str) -> Iterable[tuple[Any, str]]:
    """Menu pages with this title."""
    for _title, entries in menu(here).groups:
        yield from ((one.title, one.address) for one in entries if asked.lower() in str(one.title).lower())


def _only(here: RequestContext, results: Results) -> str | None:
    """The URL of the only match, if there is one. A customer's payments do not count as further matches."""
    records: list[tuple[str, Model]] = [
        *(("payment", row) for row in results.payments),
        *(("refund", row) for row in results.refunds),
        *(("withdrawal", row) for row in results.withdrawals),
    ]
    people = {row.pk for row in results.customers}
    theirs = all(row.customer_id in people for row in results.payments)
    if len(people) == 1 and theirs and not (results.pages or results.refunds or results.withdrawals):
        return here.to("customer", people.pop())
    if len(results.pages) == 1 and not (people or records):
        return results.pages[0][1]
    if results.pages or people or len(records) != 1:
        return None
    name, row = records[0]
    return here.to(name, row.pk)
