"""Why STP refuses orders and banks return money, in our terms."""

from gateway.payouts.rail import FailureCode
from gateway.providers.stp.shapes import SentOrder

DUPLICATE = -1
"""The tracking key was used: STP has the order."""
DEFINITE = {
    -7: FailureCode.INVALID_DESTINATION,
    -9: FailureCode.INVALID_DESTINATION,
    -11: FailureCode.INVALID_DESTINATION,
    -20: FailureCode.BANK_REJECTED,
    -22: FailureCode.INVALID_DESTINATION,
    -24: FailureCode.INVALID_DESTINATION,
    -200: FailureCode.COMPLIANCE_REJECTED,
}
"""Refusals of this order: account, institution, type of account, amount, bank and CLABE, own account, compliance.

All others say nothing about it: our signature, a member, or that a part of STP did not answer.
"""
CAUSES = {
    1: "the account does not exist",
    2: "the account is blocked",
    3: "the account is closed",
    5: "the account has another currency",
    6: "the account is not at this bank",
    13: "the beneficiary does not recognize the payment",
    14: "required information is missing",
    15: "the kind of payment is wrong",
    16: "the kind of operation is wrong",
    17: "the kind of account is wrong",
    18: "the sender asked for it",
    19: "a character is not allowed",
    20: "the account's limit of money is exceeded",
    21: "the account's limit of deposits in a month is exceeded",
    22: "the mobile number is not registered",
    23: "the account takes no such payments",
}
"""Banco de México's causes of returns (causaDevolucion)."""


def refused(error: int) -> tuple[str, str]:
    return DEFINITE[error].failure


def returned(order: SentOrder) -> tuple[str, str]:
    """As a failure: with the bank's cause, if it is one of the catalogue."""
    known = CAUSES.get(int(order.cause)) if order.cause.isascii() and order.cause.isdigit() else None
    code, sentence = FailureCode.RETURNED_BY_BANK.failure
    return code, f"{sentence.removesuffix('.')}: {known}." if known else sentence
