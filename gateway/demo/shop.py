"""The demo shop: a merchant's backend for demonstration. Local mode only."""

import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from accounts.base.errors import Refusal
from accounts.base.wire import dumps, timestamp
from accounts.cells import in_cell_of
from accounts.models import Environment, Merchant
from gateway.api.inputs.fields import validated
from gateway.api.inputs.payments import PaymentInput
from gateway.api.v2.simulations import SimulationInput
from gateway.dashboard.payments.words import CARD
from gateway.demo.shop_words import BANK, SAID
from gateway.methods.card.sandbox_cards import TEST_CARDS
from gateway.methods.errors import Rejected
from gateway.methods.registry import Method
from gateway.payer.checkout.languages import in_their_language
from gateway.payments import payloads, questions, selectors
from gateway.payments import services as payments
from gateway.payments.expiry import expire
from gateway.payments.models import Payment, Status
from gateway.requests.bodies import check_headers, parse, whole_body
from gateway.requests.envelope import body_of
from gateway.requests.traced import traced
from gateway.simulations.examples import ORDERS
from webhooks.models import Event

View = Callable[..., HttpResponse]


def _locally(view: View) -> View:
    @wraps(view)
    def served(request: HttpRequest, **path: str) -> HttpResponse:
        sandboxes = Merchant.objects.filter(environment=Environment.SANDBOX).select_related("company").order_by("pk")
        merchant = sandboxes.first() if settings.LOCAL else None
        if merchant is None:
            raise Http404
        try:
            with in_cell_of(merchant):
                return view(request, merchant, **path)
        except Refusal as refusal:
            body = body_of(refusal, traced(request).request_id)
            return HttpResponse(body, status=refusal.status, content_type="application/json")

    return never_cache(served)


@_locally
@require_safe
@ensure_csrf_cookie
@in_their_language
def page(request: HttpRequest, merchant: Merchant) -> HttpResponse:
    """Select, pay, and watch statuses and events."""
    facts = {
        "sdk_url": settings.SDK_URL,
        "company": merchant.company.trade_name,
        "methods": [
            {"method": method, "currency": currency, "title": Method(method).label} for method, currency in ORDERS
        ],
        "test_cards": [(card.number, CARD[card.plays]) for card in TEST_CARDS],
        "said": SAID,
        "bank": BANK,
    }
    response = render(request, "demo/shop.html", facts)
    sources = ["'self'", settings.SDK_URL]
    response._csp_update = {  # type: ignore[attr-defined]
        "script-src": sources, "connect-src": sources, "frame-src": sources,
    }  # fmt: skip
    return response


@_locally
@require_POST
def create(request: HttpRequest, merchant: Merchant) -> HttpResponse:
    """Creates the documented order of a method with the selected amount; `instead` of a payment that has ended, for the
    same order.
    """
    wanted = _sent(request)
    example = ORDERS.get((str(wanted.get("method")), str(wanted.get("currency"))), ORDERS["PIX", "BRL"])
    before = selectors.get(merchant, str(wanted["instead"])) if wanted.get("instead") else None
    order = example | {"reference": before.reference if before else f"demo-{secrets.token_hex(6)}"}
    if "amount" in wanted:
        order["amount"] = wanted["amount"]
    if "returnUrl" in order:
        order["returnUrl"] = f"{settings.BASE_URL}/demo/shop"
    payment = payments.create(merchant, validated(PaymentInput, order, merchant).request())
    if payment.is_unanswered:
        payment = questions.answer(merchant, questions.ask(payment))
    if payment.status == Status.FAILED:
        raise Rejected(payment.method, paymentId=payment.id)
    return _json(payloads.payment(payment))


@_locally
@require_safe
def look_up(request: HttpRequest, merchant: Merchant, payment_id: str) -> HttpResponse:
    """The payment's current state, and its events."""
    return _payment_state(selectors.get(merchant, payment_id))


@_locally
@require_POST
def end(request: HttpRequest, merchant: Merchant, payment_id: str) -> HttpResponse:
    """Ends an open payment, so that the customer can pay another way."""
    return _payment_state(expire(merchant, payment_id))


@_locally
@require_POST
def simulate(request: HttpRequest, merchant: Merchant, payment_id: str) -> HttpResponse:
    """Simulates the payer's action."""
    wanted = validated(SimulationInput, _sent(request), merchant)
    return _payment_state(payments.simulate(merchant, payment_id, wanted.status))


def _sent(request: HttpRequest) -> dict[str, Any]:
    check_headers(request)
    return parse(whole_body(request))


def _payment_state(payment: Payment) -> HttpResponse:
    events = Event.objects.filter(merchant=payment.merchant, object_id=payment.id).order_by("created_at", "id")
    happened = [{"type": event.type, "at": timestamp(event.occurred_at)} for event in events]
    return _json({"payment": payloads.payment(payment), "events": happened})


def _json(body: Any) -> HttpResponse:
    return HttpResponse(dumps(body), content_type="application/json")
