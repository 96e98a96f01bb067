"""Refusals of receipts."""

from accounts.base.errors import Refusal


class ReceiptUnavailable(Refusal):
    code = "ONP409_RECEIPT_UNAVAILABLE"
    message = "Receipts exist only for paid payments."
    advice = "Wait for payment.paid; a payment that failed or expired never gets a receipt."
