"""The page of a payment that was made with a link: what the payer has to do, and how it ended."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import logos
from accounts.base import clock
from accounts.models import Environment
from gateway.methods.registry import CARDS
from gateway.payer.checkout.languages import amount_of, day_of, in_their_language, method_of, use_market_language
from gateway.payment_links import selectors as payment_links
from gateway.payment_links.errors import PaymentLinkUnknown
from gateway.payment_links.models import PaymentLink, State
from gateway.payment_links.payloads import url
from gateway.payment_links.services import methods_of
from gateway.payments import links, payloads, selectors
from gateway.payments.cards import is_confirmable
from gateway.payments.errors import PaymentBusy, PaymentState, PaymentUnknown
from gateway.payments.expiry import expire
from gateway.payments.models import OPEN, Payment, Status

WAITING, PREPARING, CLOSED = "OPEN", "PREPARING", "CLOSED"
BANK = {
    "clabe": _("CLABE"),
    "cvu": "CVU",
    "alias": "Alias",
    "bankName": _("Bank"),
    "beneficiaryName": _("Account holder"),
    "beneficiaryTaxId": _("Tax id"),
    "paymentReference": _("Reference"),
}
INSTRUCTIONS = ("pixCopyPaste", "digitableLine", "bankDetails", "mbWay")


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_their_language
def payment_page(request: HttpRequest, token: str) -> HttpResponse:
    """Instructions; methods that have a page of their own are led to it. 404 for an invalid token.

    A POST ends the payment, and leads back to its link: the payer pays another way.
    """
    payment = _opened_by(token)
    if request.method == "POST":
        return HttpResponseRedirect(_ended(payment) or request.path, status=303)
    use_market_language(request, payment)
    if payment.method in CARDS and is_confirmable(payment):
        return HttpResponseRedirect(links.hosted_card_page(payment))
    shown = payloads.payment(payment)
    if "nextAction" in shown and payment.details.get("checkout"):
        return HttpResponseRedirect(links.checkout(payment))
    state, link = _state(payment, shown), _link(payment)
    facts = {
        "payment": payment,
        "shown": shown,
        "bank": _bank(shown),
        "company": payment.merchant.company.trade_name,
        "color": payment.merchant.company.brand_color,
        "logo": logos.address(payment.merchant.company),
        "amount": amount_of(payment),
        "method": method_of(payment),
        "subject": payment_links.subject_of(payment),
        "due_date": payment.due_date and day_of(payment.due_date),
        "state": state,
        "link": url(link) if link and state in (Status.FAILED, Status.EXPIRED) else None,
        "others": state == WAITING and _has_another_way(link),
        "sandbox": payment.merchant.environment == Environment.SANDBOX,
    }
    response = render(request, "pay/payment.html", facts)
    response["Referrer-Policy"] = "no-referrer"
    response._csp_update = {"form-action": [settings.SDK_URL]}  # type: ignore[attr-defined]
    return response


def _opened_by(token: str) -> Payment:
    try:
        payment = selectors.named_by_link(links.of_payment_page(token) or "")
    except PaymentUnknown:
        raise Http404 from None
    return payment


def _ended(payment: Payment) -> str | None:
    """The address of the link, if the payment has ended; None if it is paid, or nobody can say yet."""
    link = _link(payment)
    if link is None or not _has_another_way(link):
        return None
    try:
        payment = expire(payment.merchant, payment.pk)
    except (PaymentBusy, PaymentState):
        return None
    return url(link) if payment.status == Status.EXPIRED else None


def _has_another_way(link: PaymentLink | None) -> bool:
    """Whether the payer could begin a payment by another method."""
    return link is not None and link.status == State.ACTIVE and len(methods_of(link)) > 1  # type: ignore[attr-defined]


def _state(payment: Payment, shown: Any) -> str:
    if payment.status not in OPEN:
        return str(payment.status)
    assert payment.expires_at is not None
    if payment.expires_at <= clock.now(payment.merchant):
        return str(Status.EXPIRED)
    if not payment.merchant.is_operational:
        return CLOSED
    return WAITING if any(name in shown for name in INSTRUCTIONS) else PREPARING


def _bank(shown: Any) -> list[tuple[Any, str]]:
    details = shown.get("bankDetails", {})
    return [(label, details[name]) for name, label in BANK.items() if details.get(name)]


def _link(payment: Payment) -> PaymentLink | None:
    try:
        return payment_links.get(payment.merchant, payment.payment_link_id or "")
    except PaymentLinkUnknown:
        return None
