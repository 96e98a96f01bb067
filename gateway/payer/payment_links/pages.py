"""The public page of a payment link: what is paid, by which method, and by whom (contract §5.12)."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import logos
from accounts.base import clock
from accounts.base.errors import MethodRefusal, Refusal
from accounts.base.rows import retry_on_deadlock
from accounts.models import Environment
from gateway.api.inputs.fields import validated
from gateway.api.inputs.payments import PaymentInput
from gateway.payer.checkout.languages import amount_of, in_their_language, money_of, named, use_market_language
from gateway.payer.payment_links.forms import PayerForm
from gateway.payment_links import selectors, services
from gateway.payment_links.errors import PaymentLinkInUse, PaymentLinkState, PaymentLinkUnknown
from gateway.payment_links.models import PaymentLink, State
from gateway.payment_links.payloads import url
from gateway.payments import links, questions
from gateway.payments.errors import CompanyNotActive, DuplicateReference
from gateway.payments.models import Payment
from gateway.payments.payable import Payable

OPEN, BUSY, CLOSED = "OPEN", "BUSY", "CLOSED"
COOKIE, REMEMBERED_FOR = "begun", timedelta(days=30)


@csrf_exempt  # the address is the credential: there is no session, and the cookie only leads back to a page
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_their_language
def payment_link(request: HttpRequest, token: str) -> HttpResponse:
    """Takes the payer's data and leads to the payment. 404 for an unknown address."""
    try:
        link = selectors.at(token)
    except PaymentLinkUnknown:
        raise Http404 from None
    use_market_language(request, link)
    if "paymentId" in request.GET:
        return _returned(request, link)
    ways = services.methods_of(link)
    state = _state(link, ways)
    begun: dict[str, Any] = {
        "begun": _begun_here(request, link) if state in (OPEN, BUSY) else "",
        "others": len(ways) > 1,
    }
    if state != OPEN:
        return _page(request, link, state, status=409 if request.method == "POST" else 200, **begun)
    way = _chosen(request, ways)
    if way is None:
        return _page(request, link, OPEN, ways=_named(ways), **begun)
    form = PayerForm(link, way, request.POST if request.method == "POST" else None)
    if form.is_valid():
        return _paid(request, link, form, ways)
    return _page(request, link, OPEN, form=form, method=named(way.method), others=len(ways) > 1)


def _chosen(request: HttpRequest, ways: list[Payable]) -> Payable | None:
    wanted = (request.POST if request.method == "POST" else request.GET).get("method")
    return next((one for one in ways if one.method == wanted), ways[0] if len(ways) == 1 else None)


def _named(ways: list[Payable]) -> list[tuple[str, str]]:
    return [(one.method, named(one.method)) for one in ways]


def _state(link: PaymentLink, ways: list[Payable]) -> str:
    status, taken = link.status, link.taken  # type: ignore[attr-defined]
    if status != State.ACTIVE:
        return str(status)
    if not link.merchant.is_operational or not ways:
        return CLOSED
    return BUSY if link.max_uses is not None and taken >= link.max_uses else OPEN


def _paid(request: HttpRequest, link: PaymentLink, form: PayerForm, ways: list[Payable]) -> HttpResponse:
    """Begins the payment, and leads to its page; or says why not."""
    try:
        order = validated(PaymentInput, form.order(url(link)), link.merchant)
        begin = partial(services.pay, link, order.request(), str(form.cleaned_data["once"]))
        payment = _asked(retry_on_deadlock(begin))
    except DuplicateReference as repeated:
        payment = Payment.objects.select_related("merchant").get(pk=repeated.details["paymentId"])
    except PaymentLinkState as changed:
        return _page(request, link, str(changed.details["status"]), status=409)
    except (PaymentLinkInUse, CompanyNotActive) as closed:
        return _page(request, link, BUSY if isinstance(closed, PaymentLinkInUse) else CLOSED, status=409)
    except Refusal as refusal:
        form.refuse(refusal)
        facts = {"form": form, "method": named(form.way.method), "others": len(ways) > 1}
        return _page(request, link, OPEN, status=400, **facts)
    return _remembered(request, payment, HttpResponseRedirect(links.payment_page(payment), status=303))


def _remembered(request: HttpRequest, payment: Payment, response: HttpResponse) -> HttpResponse:
    """The browser that began a payment finds it again at the link, which alone is sent the cookie."""
    response.set_signed_cookie(
        COOKIE,
        payment.pk,
        salt=COOKIE,
        max_age=REMEMBERED_FOR,
        path=request.path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def _begun_here(request: HttpRequest, link: PaymentLink) -> str:
    """The page of the open payment that this browser began with the link; "" if there is none."""
    payment_id = request.get_signed_cookie(COOKIE, "", salt=COOKIE, max_age=REMEMBERED_FOR)
    payment = selectors.open_payment(link, payment_id) if payment_id else None
    return links.payment_page(payment) if payment else ""


def _asked(payment: Payment) -> Payment:
    """Without a clear answer the provider is asked again soon; the payer's page waits for that."""
    if payment.is_unanswered:
        try:
            return questions.answer(payment.merchant, questions.ask(payment))
        except MethodRefusal:
            pass
    return payment


def _returned(request: HttpRequest, link: PaymentLink) -> HttpResponse:
    """The payer comes back from the checkout or the card page: how it ended, and nothing else of the payment."""
    wanted = request.GET["paymentId"]
    payment = Payment.objects.filter(pk=wanted[:40].replace("\0", ""), payment_link_id=link.pk).first()
    if payment is None:
        return HttpResponseRedirect(request.path)
    return _page(request, link, str(payment.status), amount=amount_of(payment), ended=True)


def _page(request: HttpRequest, link: PaymentLink, state: str, *, status: int = 200, **more: Any) -> HttpResponse:
    company = link.merchant.company
    facts = {
        "link": link,
        "company": company.trade_name,
        "color": company.brand_color,
        "logo": logos.address(company),
        "amount": _amount(link),
        "state": state,
        "free_in": _time_until(selectors.free_at(link), link) if state == BUSY else "",
        "closes_in": _time_until(link.expires_at, link) if state == OPEN else "",
        "sandbox": link.merchant.environment == Environment.SANDBOX,
    }
    response = render(request, "pay/link.html", facts | more, status=status)
    response["Referrer-Policy"] = "no-referrer"
    # A form that is sent leads to the card page, which has an origin of its own.
    response._csp_update = {"form-action": [settings.SDK_URL]}  # type: ignore[attr-defined]
    return response


def _time_until(at: datetime | None, link: PaymentLink) -> str:
    """How long it takes at most: `12 minutes`. "" within the last minute."""
    now = clock.now(link.merchant)
    return timeuntil(at, now, depth=1) if at and at - now >= timedelta(minutes=1) else ""


def _amount(link: PaymentLink) -> str:
    least, most = (money_of(minor, link.currency) for minor in (link.least, link.most))
    return least if link.is_fixed else _("%(least)s to %(most)s") % {"least": least, "most": most}
