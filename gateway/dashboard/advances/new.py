"""Prices an advance and requests it. Staff decide."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.advances.forms import RequestForm
from gateway.dashboard.advances.simulate import chosen, quoted
from gateway.dashboard.context import RequestContext
from ledger.money import to_decimal
from ledger.notation import written
from ledger.receivables import advances
from ledger.receivables.models import Advance
from ledger.receivables.offers import offers


class PriceRose(Exception):
    """The price rose since it was reviewed."""


def _to_advance(here: RequestContext) -> Facts:
    """The current price; the form's own price is compared when it is carried out."""
    form = RequestForm(here.request.POST)
    try:
        quote = advances.quote(here.merchant, form.ids) if form.is_valid() else None
    except Refusal:
        quote = None
    if quote is None:
        return []
    amounts = (_("Amount"), quote.gross), (_("Fee"), quote.fee), (_("Net"), quote.net)
    counted: Facts = [(_("Receivables"), len(quote.items))]
    return counted + [(name, written(to_decimal(amount, quote.currency), quote.currency)) for name, amount in amounts]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MOVE_MONEY, steps_up=action(gettext_lazy("Request an advance"), about=_to_advance))
def ask(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Shows the request for review, and sends it. The price can only go down until the decision."""
    if request.method == "POST":
        return _request(request, here)
    _form, quote = chosen(request, here, offers(here.merchant, here.now))
    if quote is None:
        return here.redirect("simulate_advance")
    return here.render("advances/new.html", form=RequestForm.of(quote), **quoted(quote))


def _request(request: HttpRequest, here: RequestContext) -> HttpResponse:
    form = RequestForm(request.POST)
    if not form.is_valid():
        return here.redirect("simulate_advance")
    try:
        advance = _requested(here, form)
    except PriceRose:
        again = RequestForm.of(quote := advances.quote(here.merchant, form.ids))
        return here.render("advances/new.html", form=again, was_changed=True, **quoted(quote))
    except Refusal as refusal:
        form.refuse(refusal)
        return here.render("advances/new.html", form=form, status=refusal.status, **quoted(None))
    return here.redirect("advance", advance.pk, message=_("The advance is requested and under review."))


def _requested(here: RequestContext, form: RequestForm) -> Advance:
    seen = form.cleaned_data
    with transaction.atomic():
        here.claim(form)
        advance = advances.request(here.merchant, form.ids, here.user)
        if advance.gross_amount != seen["gross"] or advance.fee > seen["fee"]:
            raise PriceRose
        recorded = {"gross": advance.gross_amount, "fee": advance.fee, "currency": advance.currency}
        here.record("advance.requested", advance.pk, after=recorded | {"receivables": len(form.ids)})
    return advance
