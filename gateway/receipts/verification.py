"""Receipt verification: its id, its code and the URL of its page."""

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.environments import base_url
from gateway.payments.models import Payment
from gateway.withdrawals.models import Withdrawal

_RECEIPTS = {"rcp_": "pay_", "rcw_": "wdr_"}
"""The prefix of a receipt by that of what it is for."""
Received = Payment | Withdrawal
_DIGITS, _GROUP = 16, 4


def receipt_id(paid: Received) -> str:
    """A payment or withdrawal has one receipt, however often it is fetched."""
    return next(receipt + paid.id[4:] for receipt, prefix in _RECEIPTS.items() if paid.id.startswith(prefix))


def object_id(receipt_id: str) -> str | None:
    """The id of the payment or withdrawal; None if it cannot be the id of a receipt."""
    prefix = _RECEIPTS.get(receipt_id[:4])
    return prefix + receipt_id[4:] if prefix else None


def code(paid: Received) -> str:
    """Four groups of four digits that only we can compute, the same for each copy of the receipt."""
    digits = _digits(paid.id, settings.SECRET_KEY)
    return "-".join(digits[start : start + _GROUP] for start in range(0, _DIGITS, _GROUP))


def is_right(code: str, object_id: str) -> bool:
    """Whether the code is for this receipt, with the current key or an earlier one. It may be typed by hand."""
    digits = code.replace("-", "").replace(" ", "").upper()
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(digits, _digits(object_id, key)) for key in keys)


def link(paid: Received) -> str:
    """The URL of the verification page. The merchant must be loaded."""
    base = base_url(paid.merchant.environment)
    return f"{base}/receipts/{receipt_id(paid)}?code={code(paid)}"


def _digits(object_id: str, key: str) -> str:
    return salted_hmac("receipt", object_id, secret=key, algorithm="sha256").hexdigest()[:_DIGITS].upper()
