"""The SDK's script, the field frames, the 3DS challenge and the hosted card page."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_http_methods, require_safe

from accounts import logos
from accounts.base import clock
from gateway.methods.card.words import FIELD, OUTCOME
from gateway.payer.checkout.languages import amount_of, in_their_language, use_market_language
from gateway.payer.sdk.acquirers import policy_of
from gateway.payer.sdk.policies import framed, on_sdk_origin, published
from gateway.payer.sdk.sessions import open_payment, origins, shop_of
from gateway.payments import cards, links, return_url
from gateway.payments.errors import PaymentState
from gateway.payments.models import Payment, Status
from gateway.payments.saved import SAVES
from gateway.providers.scripts import VERSION, source
from gateway.saved_cards.links import removal_page
from gateway.saved_cards.selectors import of_payment

FIELDS = ("cardNumber", "cardExpiry", "cardCvc")
LANGUAGES = ("pt", "es", "en")


@require_safe
def script(request: HttpRequest, version: str | None = None) -> HttpResponse:
    """The script. A versioned URL never changes its content; another version is 404."""
    if version not in (None, VERSION):
        raise Http404
    return published(source(), lasts="max-age=31536000, immutable" if version else "max-age=300")


@require_safe
def listener(request: HttpRequest) -> HttpResponse:
    """The program that forwards sandbox events to a developer's machine. It handles no cards: every origin serves
    it.
    """
    content = (settings.BASE_DIR / "static" / "sdk" / "onpay_listen.py").read_bytes()
    response = HttpResponse(content, content_type="text/x-python; charset=utf-8")
    response["Cache-Control"] = "public, max-age=300"
    return response


@on_sdk_origin
@require_safe
def field(request: HttpRequest, payment_id: str, kind: str) -> HttpResponse:
    """One input in a frame. Only the pages of `returnUrl`'s origin and ours may embed it."""
    payment = open_payment(payment_id)
    if payment is None or kind not in FIELDS or payment.account_id:  # an acquirer has fields of its own
        raise Http404
    asked = request.GET.get("locale", "en")
    facts = {
        "kind": kind,
        "texts": FIELD | OUTCOME if kind == "cardNumber" else FIELD,
        "locale": asked if asked in LANGUAGES else "en",
        "shop": shop_of(payment),
        "sdk": settings.SDK_URL,
    }
    with translation.override("pt-br" if facts["locale"] == "pt" else facts["locale"]):
        return framed(render(request, "sdk/field.html", facts), origins(payment))


@on_sdk_origin
@require_http_methods(["GET", "HEAD", "POST"])
@in_their_language
def challenge(request: HttpRequest, challenge_id: str) -> HttpResponse:
    """The cardholder confirms or declines. Returning from here confirms nothing to the shop."""
    payment_id, _, challenge = challenge_id.partition(".")
    payment = open_payment(payment_id)
    if payment is None or not challenge or payment.details.get("challenge") != challenge:
        raise Http404
    use_market_language(request, payment)
    decision = request.POST.get("decision")
    if decision in ("approve", "refuse"):
        try:
            payment = cards.answer_challenge(payment, challenge, approves=decision == "approve").payment
        except PaymentState:
            payment = open_payment(payment_id) or payment
    facts = {
        "company": payment.merchant.company.trade_name,
        "amount": amount_of(payment),
        "last4": payment.details["card"]["last4"],
        "shop": shop_of(payment),
        "sdk": settings.SDK_URL,
        "challenge_id": challenge_id,
        "done": not cards.is_confirmable(payment),
        "payment_id": payment.id,
        "status": payment.status,
        "failure_code": payment.failure_code,
        "return_url": _back(payment),
    }
    return framed(render(request, "sdk/challenge.html", facts), origins(payment))


@on_sdk_origin
@require_safe
@in_their_language
def hosted(request: HttpRequest, token: str) -> HttpResponse:
    """Our complete card page, with the same fields that a shop embeds."""
    payment = open_payment(links.of_hosted_card_page(token) or "")
    if payment is None:
        raise Http404
    use_market_language(request, payment)
    is_open = cards.is_confirmable(payment)
    if is_open and payment.details.get("challenge") and "token" in payment.details:
        return HttpResponseRedirect(cards.challenge_url(payment, payment.details["challenge"]))
    assert payment.expires_at is not None
    left_s = int((payment.expires_at - clock.now(payment.merchant)).total_seconds())
    facts = {
        "company": payment.merchant.company.trade_name,
        "color": payment.merchant.company.brand_color or None,
        "logo": logos.address(payment.merchant.company),
        "amount": amount_of(payment),
        "reference": payment.reference,
        "client_secret": links.client_secret(payment) if is_open else None,
        "locale": (translation.get_language() or "en")[:2],
        "return_url": _back(payment),
        "needs_card": cards.needs_card(payment),
        "left_s": left_s if is_open else None,
        "state": "OPEN" if is_open else _ended(payment),
        "sandbox": payment.merchant.environment == "SANDBOX",
        "removal": None if is_open else _removal_page(payment),
    }
    allowed = policy_of(payment) if is_open else None
    return framed(render(request, "sdk/hosted.html", facts), origins(payment), allowed)


def _removal_page(payment: Payment) -> str | None:
    """Where the payer removes the card that was saved with the payment."""
    card = of_payment(payment.id) if SAVES in payment.details else None
    return removal_page(card) if card else None


def _ended(payment: Payment) -> str:
    """An open payment whose session has expired will be expired by the sweep."""
    return str(Status.EXPIRED if payment.status == Status.ACTION_REQUIRED else payment.status)


def _back(payment: Payment) -> str | None:
    return return_url.with_payment(payment.return_url, payment.id) if payment.return_url else None
