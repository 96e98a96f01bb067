"""Bank details shared by all methods, and the numbers that simulators generate for them."""

import hashlib
import secrets
import string

from gateway.methods.rail import PaymentOrder

_CAPITALS_AND_DIGITS = string.ascii_uppercase + string.digits


def number_of(order: PaymentOrder) -> int:
    """A number of 256 bits that only this payment has: the same order gets the same one."""
    return int.from_bytes(hashlib.sha256(order.payment_id.encode()).digest())


def details_of(order: PaymentOrder, number: int, **account: str) -> dict[str, str]:
    """The account, whose it is, and what to transfer: exactly this amount, with a reference made of the number."""
    return {
        **account,
        "beneficiaryName": order.beneficiary,
        "paymentReference": str(1_000_000 + number % 9_000_000),
        "amount": str(order.amount),
        "currency": order.currency,
    }


def invented(length: int) -> str:
    """Capitals and digits by chance, as clearing houses name transfers."""
    return "".join(secrets.choice(_CAPITALS_AND_DIGITS) for _ in range(length))
