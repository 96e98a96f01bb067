"""Refusals of the books."""

from accounts.base.errors import Refusal


class InsufficientBalance(Refusal):
    code = "ONP422_INSUFFICIENT_BALANCE"
    message = "Insufficient available balance."
    advice = "Check the balance, then send a smaller amount with a new idempotency key."
