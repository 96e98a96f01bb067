"""Bank details shared by all methods, and the numbers that simulators generate for them."""

import hashlib
import secrets
import string

from gateway.methods.rail import PaymentOrder

_CAPITALS_AND_DIGITS = string.ascii_uppercase + string.digits


def number_of(order: PaymentOrder) -> int:
    """A number of 256 bits that only this payment has: the same order gets the same one."""
    return _digest(order.payment_id)


def details_of(order: PaymentOrder, number: int, **account: str) -> dict[str, str]:
    """The account, whose it is, and what to transfer: exactly this amount, with a reference made of the number."""
    return {
        **account,
        "beneficiaryName": order.beneficiary,
        "paymentReference": str(_seven_digits(number)),
        "amount": str(order.amount),
        "currency": order.currency,
    }


def number_from(our_id: str) -> int:
    """Seven digits derived from an id, where a bank wants a number."""
    return _seven_digits(_digest(our_id))


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _seven_digits(number: int) -> int:
    return 1_000_000 + number % 9_000_000


def invented(length: int) -> str:
    """Capitals and digits by chance, as clearing houses name transfers."""
    return "".join(secrets.choice(_CAPITALS_AND_DIGITS) for _ in range(length))
