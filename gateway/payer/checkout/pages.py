"""The checkout: the payer accepts or declines, and returns to the shop (contract §5.4)."""

from contextlib import suppress
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import logos
from accounts.base import clock
from accounts.models import Environment
from gateway.evidence.origins import note_origin
from gateway.methods.colombia import SandboxCheckout
from gateway.payer.checkout import instructions
from gateway.payer.checkout.forms import PayerForm
from gateway.payer.checkout.languages import amount_of, in_their_language, method_of, use_market_language
from gateway.payment_links import selectors as payment_links
from gateway.payments import links, return_url, selectors
from gateway.payments import services as payments
from gateway.payments.errors import CompanyNotActive, PaymentState, PaymentUnknown
from gateway.payments.models import OPEN, Payment, Status
from gateway.payments.provider import simulator_of

PAY, REFUSE = "pay", "refuse"


@csrf_exempt  # the address is the credential: there is no session and no cookie to forge
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_their_language
def checkout(request: HttpRequest, token: str) -> HttpResponse:
    """Shows what is to be paid, and where to; in the sandbox the payer's choice is the outcome.

    404 for an invalid token.
    """
    payment = _opened_by(token)
    use_market_language(request, payment)
    if "payTo" in payment.details:
        return _page(request, payment, instructions.facts(payment))
    if payment.merchant.environment != Environment.SANDBOX:
        raise Http404
    rail = simulator_of(payment)
    if not isinstance(rail, SandboxCheckout):
        raise Http404
    choice = request.POST.get("choice")
    form = PayerForm(request.POST if choice == PAY else None, asked=rail.asks(payment.payer))
    if choice == REFUSE or form.is_valid():
        note_origin(payment, request)
        _decide(payment, form)
        return HttpResponseRedirect(request.path, status=303)
    return _page(request, payment, {"form": form})


def _page(request: HttpRequest, payment: Payment, more: dict[str, Any]) -> HttpResponse:
    response = render(request, "checkout/page.html", _facts(payment) | more)
    response["Referrer-Policy"] = "no-referrer"
    return response


def _opened_by(token: str) -> Payment:
    payment_id = links.of_checkout(token)
    if payment_id is None:
        raise Http404
    try:
        return selectors.named_by_link(payment_id)
    except PaymentUnknown:
        raise Http404 from None


def _decide(payment: Payment, form: PayerForm) -> None:
    """A late choice changes nothing: the page then shows how the payment ended."""
    if _state(payment, _left_s(payment)) == "OPEN":
        with suppress(PaymentState, CompanyNotActive):
            answers = form.answers() if form.is_bound else {}
            payments.decide(payment.merchant, payment.id, accepts=form.is_bound, answers=answers)


def _facts(payment: Payment) -> dict[str, Any]:
    left_s = _left_s(payment)
    return {
        "payment": payment,
        "company": payment.merchant.company.trade_name,
        "logo": logos.address(payment.merchant.company),
        "amount": amount_of(payment),
        "method": method_of(payment),
        "subject": payment_links.subject_of(payment),
        "left_s": left_s,
        "clock": f"{left_s // 60}:{left_s % 60:02d}",
        "state": _state(payment, left_s),
        "back": return_url.with_payment(payment.return_url, payment.id) if payment.return_url else None,
    }


def _left_s(payment: Payment) -> int:
    assert payment.expires_at is not None
    return int((payment.expires_at - clock.now(payment.merchant)).total_seconds())


def _state(payment: Payment, left_s: int) -> str:
    """How it ended; OPEN while the payer can choose; CLOSED while the company takes no payments."""
    if payment.status not in OPEN:
        return payment.status
    if left_s <= 0:
        return str(Status.EXPIRED)
    return "OPEN" if payment.merchant.is_operational else "CLOSED"
