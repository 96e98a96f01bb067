"""One payment link: to share it, to see who paid, to pause and to end it."""

from urllib.parse import quote

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.base.errors import InvalidStatus
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.templatetags.dashboard import money
from gateway.methods.qr import data_uri
from gateway.payment_links import selectors, services
from gateway.payment_links.models import PaymentLink, State
from gateway.payment_links.payloads import url
from gateway.payments import selectors as payments

SHOWN = 20


@require_safe
@page_view(May.READ_PAYMENTS)
def payment_link(request: HttpRequest, here: RequestContext, link_id: str) -> HttpResponse:
    link = selectors.get(here.merchant, link_id)
    address = url(link)
    text = _("%(company)s: %(description)s, %(amount)s") % {
        "company": here.company.trade_name,
        "description": link.description,
        "amount": amount_of(link),
    }
    return here.render(
        "payment_links/detail.html",
        link=link,
        amount=amount_of(link),
        address=address,
        qr=data_uri(address),
        whatsapp=f"https://wa.me/?text={quote(f'{text} {address}')}",
        email=f"mailto:?subject={quote(text)}&body={quote(address)}",
        payments=list(payments.listed(here.merchant, payment_link_id=link.pk).select_related("customer")[:SHOWN]),
    )


def amount_of(link: PaymentLink) -> str:
    """The amount, or its bounds."""
    least, most = money(link.least, link.currency), money(link.most, link.currency)
    return least if link.is_fixed else _("%(least)s to %(most)s") % {"least": least, "most": most}


@require_POST
@page_view(May.SELL)
def switch(request: HttpRequest, here: RequestContext, link_id: str) -> HttpResponse:
    """Pauses, resumes or ends it."""
    wanted = request.POST.get("status", "")
    if wanted not in State.values:
        raise InvalidStatus
    with transaction.atomic():
        before = selectors.get(here.merchant, link_id).state
        link = services.change(here.merchant, link_id, State(wanted))
        if before != link.state:
            here.record("payment_link.changed", link.pk, before={"status": before}, after={"status": link.state})
    said = {State.ACTIVE: _("The link takes payments again."), State.PAUSED: _("The link is paused.")}
    return here.redirect("payment_link", link.pk, message=said.get(State(wanted), _("The link was ended.")))
