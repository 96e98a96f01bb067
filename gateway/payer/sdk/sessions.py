"""The payer's browser before a card payment: its client secret and its origin."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from gateway.payments import links, return_url, selectors
from gateway.payments.authorizations import is_at_acquirer
from gateway.payments.cards import is_confirmable
from gateway.payments.errors import PaymentUnknown
from gateway.payments.failover import has_moved
from gateway.payments.models import FORMER, Payment


class SessionInvalid(Exception):
    """A missing, wrong or expired client secret: 401. `payment` is the one it names, if any."""

    def __init__(self, payment: Payment | None) -> None:
        self.payment = payment


class OriginMismatch(Exception):
    """A page of another origin than `returnUrl`: 403 (contract §6.2)."""


def session_of(request: HttpRequest, *, ended_too: bool = False) -> Payment:
    """The payment of the request's client secret, with its merchant; also after a card was charged, or after it moved
    to another acquirer.

    Raises SessionInvalid and OriginMismatch.
    """
    scheme, secret = _presented(request)
    payment = _named(links.of_client_secret(secret))
    opens = (
        scheme == "Bearer"
        and payment is not None
        and (is_confirmable(payment) or (ended_too and ("card" in payment.details or is_at_acquirer(payment))))
        and (_is(links.client_secret(payment), secret) or is_former(request, payment))
    )
    if payment is None or not opens:
        raise SessionInvalid(payment)
    origin = request.headers.get("Origin")
    if origin is not None and origin not in origins(payment):
        raise OriginMismatch
    return payment


def is_former(request: HttpRequest, payment: Payment) -> bool:
    """Whether the browser still has the client secret from before the payment moved to another acquirer."""
    _, secret = _presented(request)
    return has_moved(payment) and _is(links.client_secret(payment, former=True), secret)


def _presented(request: HttpRequest) -> tuple[str, str]:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return scheme, secret


def _is(known: str, secret: str) -> bool:
    return bool(constant_time_compare(known, secret))


def origins(payment: Payment) -> list[str]:
    """Origins that may embed the fields: the shop's, and ours."""
    shop = [return_url.origin(payment.return_url)] if payment.return_url else []
    return [*shop, settings.SDK_URL]


def shop_of(payment: Payment) -> str:
    """The origin of the shop's page."""
    return origins(payment)[0]


def open_payment(payment_id: str) -> Payment | None:
    """The card payment with a session, in any status; also while the session moves to another acquirer."""
    payment = _named(payment_id)
    return payment if payment is not None and payment.details.keys() & {"session", FORMER} else None


def _named(payment_id: str) -> Payment | None:
    try:
        return selectors.named_by_link(payment_id)
    except PaymentUnknown:
        return None
