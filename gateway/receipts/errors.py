"""Refusals of receipts."""

from accounts.base.errors import Refusal


class ReceiptUnavailable(Refusal):
    code = "ONP409_RECEIPT_UNAVAILABLE"
    message = "Receipts exist only for paid payments, and for withdrawals that arrived."
    advice = "Wait for payment.paid or withdrawal.completed; what failed or expired never gets a receipt."
