"""What receipts refuse."""

from accounts.base.errors import Refusal


class ReceiptUnavailable(Refusal):
    code = "ONP409_RECEIPT_UNAVAILABLE"
    message = "Only a payment that was paid has a receipt."
    advice = "Wait for payment.paid; a payment that failed or expired never has a receipt."
