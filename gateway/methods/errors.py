"""What methods refuse."""

from typing import Any

from accounts.base.errors import MethodRefusal, Refusal


class MethodNotEnabled(Refusal):
    code = "ONP403_METHOD_NOT_ENABLED"
    message = "The payment method is not enabled for this company and currency."
    advice = "Ask support to enable the method, or use one that GET /payment-methods lists."


class AmountTooSmall(MethodRefusal):
    code = "ONP422_<METHOD>_AMOUNT_TOO_SMALL"
    message = "The amount is below the minimum of the method, or does not cover the fee."
    advice = "Raise the amount to error.minAmount at least, and use a new idempotency key."

    def body(self) -> dict[str, Any]:
        return super().body() | {"message": f"The smallest amount of the method is {self.details['minAmount']}."}


class AmountTooLarge(MethodRefusal):
    code = "ONP422_<METHOD>_AMOUNT_TOO_LARGE"
    message = "The amount is above the maximum of the method."
    advice = "Lower the amount to error.maxAmount at most, and use a new idempotency key."

    def body(self) -> dict[str, Any]:
        return super().body() | {"message": f"The largest amount of the method is {self.details['maxAmount']}."}


class Rejected(MethodRefusal):
    code = "ONP422_<METHOD>_REJECTED"
    message = "The payment was refused for good."
    advice = "error.paymentId names the FAILED payment. Try another way to pay, with a new idempotency key."
    keeps_changes = True


class InvalidResponse(MethodRefusal):
    code = "ONP502_<METHOD>_INVALID_RESPONSE"
    message = "The outside party gave no usable answer."
    advice = "Repeat the same request with the same key after retryAfter seconds, with backoff and jitter."
    retryable = True
    retry_after_s = 2


class RailUnavailable(MethodRefusal):
    code = "ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE"
    message = "The payment method is unavailable for a moment."
    advice = "Repeat the same request with the same key after retryAfter seconds, with backoff and jitter."
    retryable = True
    retry_after_s = 30
