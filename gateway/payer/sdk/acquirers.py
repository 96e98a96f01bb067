"""Where an acquirer takes the card: its adapter, and the page on which its library asks the cardholder."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from gateway.payer.checkout.languages import in_their_language, use_market_language
from gateway.payer.sdk.policies import framed, on_sdk_origin, published
from gateway.payer.sdk.sessions import open_payment, origins, shop_of
from gateway.payments import cards
from gateway.payments.models import Payment
from gateway.providers import scripts
from gateway.providers.browsers import Browser, browsers


@require_safe
def adapter(request: HttpRequest, acquirer: str, version: str) -> HttpResponse:
    """What mounts an acquirer's own fields; the SDK loads it in production only."""
    content = scripts.adapter(acquirer)
    if version != scripts.VERSION or content is None:
        raise Http404
    return published(content, lasts="max-age=31536000, immutable")


@on_sdk_origin
@require_safe
@in_their_language
def action(request: HttpRequest, payment_id: str) -> HttpResponse:
    """The frame in which the acquirer's library asks the cardholder. The page around it says what is asked.

    A bank's own page may be at any address, so this page lets all frames in; that of the shop need not.
    """
    payment = open_payment(payment_id)
    acquirer, environment = next(iter(cards.libraries(payment)), ("", "")) if payment else ("", "")
    content, browser = scripts.adapter(acquirer), _browser(acquirer, environment)
    if payment is None or browser is None or content is None:
        raise Http404
    use_market_language(request, payment)
    facts = {
        "adapter": f"/sdk/acquirers/{acquirer}-{scripts.VERSION}.js",
        "integrity": scripts.integrity_of(content),
        "style": browser.style,
        "shop": shop_of(payment),
        "sdk": settings.SDK_URL,
    }
    allowed = browser.policy()
    allowed |= {"frame-src": [*allowed["frame-src"], "https:"], "form-action": ["https:"]}
    return framed(render(request, "sdk/action.html", facts), origins(payment), allowed)


def policy_of(payment: Payment) -> dict[str, list[str]]:
    """What a page with the fields of the payment may load: also of the acquirer that may take over meanwhile."""
    allowed: dict[str, list[str]] = {}
    for library in cards.libraries(payment):
        browser = _browser(*library)
        for directive, sources in browser.policy().items() if browser else ():
            known = allowed.setdefault(directive, [])
            known += [source for source in sources if source not in known]
    return allowed


def _browser(acquirer: str, environment: str) -> Browser | None:
    return browsers().get(acquirer, {}).get(environment)
