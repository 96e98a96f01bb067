"""Refusals of methods."""

from typing import Any

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, MethodRefusal, Refusal


class MethodNotEnabled(Refusal):
    code = "ONP403_METHOD_NOT_ENABLED"
    message = _("The payment method is not enabled for this company and currency.")
    advice = _("Ask support to enable it, or use a method listed by GET /payment-methods.")


class AmountTooSmall(MethodRefusal):
    code = "ONP422_<METHOD>_AMOUNT_TOO_SMALL"
    message = _("The amount is below the minimum of the payment method, or does not cover the fee.")
    advice = _("Raise the amount to at least error.minAmount, and use a new idempotency key.")

    def body(self) -> dict[str, Any]:
        return super().body() | {"message": f"The smallest amount of the method is {self.details['minAmount']}."}


class BelowProviderMinimum(AmountTooSmall):
    """Said by the provider, whose minimum may be in the currency that it settles: there is no `minAmount`."""

    message = _("The amount is below the minimum of the payment provider.")
    advice = _("error.paymentId names the FAILED payment. Raise the amount, and use a new idempotency key.")
    keeps_changes = True

    def body(self) -> dict[str, Any]:
        return MethodRefusal.body(self)


class AmountTooLarge(MethodRefusal):
    code = "ONP422_<METHOD>_AMOUNT_TOO_LARGE"
    message = _("The amount exceeds the maximum of the payment method.")
    advice = _("Lower the amount to at most error.maxAmount, and use a new idempotency key.")

    def body(self) -> dict[str, Any]:
        return super().body() | {"message": f"The largest amount of the method is {self.details['maxAmount']}."}


class Rejected(MethodRefusal):
    code = "ONP422_<METHOD>_REJECTED"
    message = _("The payment was declined.")
    advice = _("error.paymentId names the FAILED payment. Offer another payment method, with a new idempotency key.")
    keeps_changes = True


class InvalidResponse(MethodRefusal):
    code = "ONP502_<METHOD>_INVALID_RESPONSE"
    message = _("The payment provider returned an invalid response.")
    advice = _("Send the same request again with the same key after retryAfter seconds, with backoff and jitter.")
    retryable = True
    retry_after_s = 2


class RailUnavailable(MethodRefusal):
    code = "ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE"
    message = _("The payment method is temporarily unavailable.")
    advice = _("Send the same request again with the same key after retryAfter seconds, with backoff and jitter.")
    retryable = True
    retry_after_s = 30


class InvalidTerms(InvalidRequest):
    code = "ONP400_TERMS"
    message = _("The price or the limits are not valid.")
    advice = _("Correct the members listed in error.fields. Nothing was changed.")


class TermsInForce(Refusal):
    code = "ONP409_TERMS"
    message = _("A price that has begun stays as it is, and so do limits that hold for everybody.")
    advice = _("Set another price from now or later, or disable the method.")
