"""The address of a boleto's PDF: whoever holds it may read it, so that the merchant can hand it to the payer."""

from datetime import timedelta

from django.conf import settings
from django.core.signing import BadSignature, Signer

from accounts import clock
from accounts.models import Environment
from gateway.payments.models import Payment

VALID_AFTER_DEADLINE = timedelta(days=30)
_signer = Signer(salt="boleto-pdf")


def link(payment: Payment) -> str:
    """The same in every answer, event and replay: the token says which payment, and nothing about when."""
    is_sandbox = payment.merchant.environment == Environment.SANDBOX
    base = settings.SANDBOX_BASE_URL if is_sandbox else settings.BASE_URL
    return f"{base}/api/v2/payments/{payment.id}/boleto?token={_signer.sign(payment.id)}"


def opens(token: str, payment_id: str) -> bool:
    """Whether the token was made for this payment."""
    try:
        return _signer.unsign(token) == payment_id
    except BadSignature:
        return False


def is_valid(payment: Payment) -> bool:
    """For thirty days after the payer's time, by the merchant's clock."""
    assert payment.expires_at is not None
    return clock.now(payment.merchant) <= payment.expires_at + VALID_AFTER_DEADLINE
