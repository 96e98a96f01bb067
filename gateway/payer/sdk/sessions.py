"""The payer's browser before a card payment: its client secret and its origin."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from gateway.payments import links, return_url, selectors
from gateway.payments.authorizations import is_at_acquirer
from gateway.payments.cards import is_confirmable
from gateway.payments.errors import PaymentUnknown
from gateway.payments.models import Payment


class SessionInvalid(Exception):
    """A missing, wrong or expired client secret: 401. `payment` is the one it names, if any."""

    def __init__(self, payment: Payment | None) -> None:
        self.payment = payment


class OriginMismatch(Exception):
    """A page of another origin than `returnUrl`: 403 (contract §6.2)."""


def session_of(request: HttpRequest, *, ended_too: bool = False) -> Payment:
    """The payment of the request's client secret, with its merchant; also after a card was charged.

    Raises SessionInvalid and OriginMismatch.
    """
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    payment = _named(links.of_client_secret(secret))
    opens = (
        scheme == "Bearer"
        and payment is not None
        and (is_confirmable(payment) or (ended_too and ("card" in payment.details or is_at_acquirer(payment))))
        and constant_time_compare(links.client_secret(payment), secret)
    )
    if payment is None or not opens:
        raise SessionInvalid(payment)
    origin = request.headers.get("Origin")
    if origin is not None and origin not in origins(payment):
        raise OriginMismatch
    return payment


def origins(payment: Payment) -> list[str]:
    """Origins that may embed the fields: the shop's, and ours."""
    shop = [return_url.origin(payment.return_url)] if payment.return_url else []
    return [*shop, settings.SDK_URL]


def shop_of(payment: Payment) -> str:
    """The origin of the shop's page."""
    return origins(payment)[0]


def open_payment(payment_id: str) -> Payment | None:
    """The card payment with a session, in any status."""
    payment = _named(payment_id)
    return payment if payment is not None and "session" in payment.details else None


def _named(payment_id: str) -> Payment | None:
    try:
        return selectors.named_by_link(payment_id)
    except PaymentUnknown:
        return None
