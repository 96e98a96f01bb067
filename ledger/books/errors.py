"""What the books refuse."""

from accounts.base.errors import Refusal


class InsufficientBalance(Refusal):
    code = "ONP422_INSUFFICIENT_BALANCE"
    message = "The available balance is too small."
    advice = "Read the balance, then send a smaller amount with a new idempotency key."
