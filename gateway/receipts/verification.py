"""Receipt verification: its id, its code and the URL of its page."""

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.environments import base_url
from gateway.payments.models import Payment

_PAYMENT, _RECEIPT = "pay_", "rcp_"
_DIGITS, _GROUP = 16, 4


def receipt_id(payment: Payment) -> str:
    """A payment has one receipt, however often it is fetched."""
    return _RECEIPT + payment.id.removeprefix(_PAYMENT)


def payment_id(receipt_id: str) -> str | None:
    """The id of the payment; None if it cannot be the id of a receipt."""
    return _PAYMENT + receipt_id.removeprefix(_RECEIPT) if receipt_id.startswith(_RECEIPT) else None


def code(payment: Payment) -> str:
    """Four groups of four digits that only we can compute, the same for each copy of the receipt."""
    digits = _digits(payment.id, settings.SECRET_KEY)
    return "-".join(digits[start : start + _GROUP] for start in range(0, _DIGITS, _GROUP))


def is_right(code: str, payment_id: str) -> bool:
    """Whether the code is for this payment, with the current key or an earlier one. It may be typed by hand."""
    digits = code.replace("-", "").replace(" ", "").upper()
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(digits, _digits(payment_id, key)) for key in keys)


def link(payment: Payment) -> str:
    """The URL of the verification page. The payment's merchant must be loaded."""
    base = base_url(payment.merchant.environment)
    return f"{base}/receipts/{receipt_id(payment)}?code={code(payment)}"


def _digits(payment_id: str, key: str) -> str:
    return salted_hmac("receipt", payment_id, secret=key, algorithm="sha256").hexdigest()[:_DIGITS].upper()
