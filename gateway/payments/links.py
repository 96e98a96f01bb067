"""Signed links for payers: anyone who has the link can open it, so that merchants can pass it on."""

from base64 import urlsafe_b64encode
from datetime import timedelta

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.utils.crypto import salted_hmac

from accounts.base import clock
from accounts.environments import base_url
from accounts.models import Environment
from gateway.payments.models import FORMER, Payment

BOLETO_VALID_AFTER_DEADLINE = timedelta(days=30)
LIVE = "_live"
_BOLETO, _CHECKOUT, _CARD_PAGE, _PAYMENT = "boleto-pdf", "checkout", "hosted-card-page", "payment-page"


def boleto(payment: Payment) -> str:
    """The same in every response, event and replay: the token identifies the payment and contains no time."""
    return f"{_base(payment)}/api/v2/payments/{payment.id}/boleto?token={_sign(_BOLETO, payment)}"


def opens_boleto(token: str, payment_id: str) -> bool:
    """Whether the token is for this payment."""
    return _signed(_BOLETO, token) == payment_id


def boleto_is_valid(payment: Payment) -> bool:
    """Until thirty days after the payment's expiry, by the merchant's clock."""
    assert payment.expires_at is not None
    return clock.now(payment.merchant) <= payment.expires_at + BOLETO_VALID_AFTER_DEADLINE


def checkout(payment: Payment) -> str:
    """The checkout page of a payment (contract §5.4)."""
    return f"{_base(payment)}/checkout/{_sign(_CHECKOUT, payment)}"


def of_checkout(token: str) -> str | None:
    """The id of the payment whose checkout the token opens, or None."""
    return _signed(_CHECKOUT, token)


def sdk_base() -> str:
    """The origin of all pages that handle card data."""
    return str(settings.SDK_URL)


def hosted_card_page(payment: Payment) -> str:
    """The hosted card page (contract §6.1). The id alone, which is in events and logs, does not open it."""
    return f"{sdk_base()}/checkout/{_sign(_CARD_PAGE, payment)}"


def of_hosted_card_page(token: str) -> str | None:
    """The id of the payment whose card page the token opens, or None."""
    return _signed(_CARD_PAGE, token)


def payment_page(payment: Payment) -> str:
    """The page of a payment that was made with a payment link (contract §5.12)."""
    return f"{_base(payment)}/checkout/{_sign(_PAYMENT, payment)}"


def of_payment_page(token: str) -> str | None:
    """The id of the payment whose page the token opens, or None."""
    return _signed(_PAYMENT, token)


def client_secret(payment: Payment, *, former: bool = False) -> str:
    """The secret of the payer's browser for a card payment: bound to it and its environment, valid while it is open.
    Once the payment has moved to another account it is a new one; `former`: the one before.

    Created for each response and never stored; not for events, logs or URLs (contract §6.1). Those of production have
    a form of their own, by which the SDK knows that an acquirer's fields are to be mounted.
    """
    bound = f"{payment.id}:{payment.merchant.environment}:{payment.created_at.isoformat()}"
    if FORMER in payment.details and not former:
        bound = f"{bound}:{payment.account_id}"
    mac = salted_hmac("card-session", bound, algorithm="sha256").digest()
    live = LIVE if payment.merchant.environment == Environment.PRODUCTION else ""
    return f"{payment.id}{live}_secret_{urlsafe_b64encode(mac).decode().rstrip('=')}"


def of_client_secret(secret: str) -> str:
    """The id of the payment that a client secret names; it is not verified."""
    return secret.partition("_secret_")[0].removesuffix(LIVE)


def _sign(purpose: str, payment: Payment) -> str:
    return Signer(salt=purpose).sign(payment.id)


def _signed(purpose: str, token: str) -> str | None:
    try:
        return Signer(salt=purpose).unsign(token)
    except BadSignature:
        return None


def _base(payment: Payment) -> str:
    return base_url(payment.merchant.environment)
