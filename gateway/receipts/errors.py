"""Refusals of receipts."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class ReceiptUnavailable(Refusal):
    code = "ONP409_RECEIPT_UNAVAILABLE"
    message = _("Receipts exist only for paid payments, and for withdrawals that arrived.")
    advice = _("Wait for payment.paid or withdrawal.completed; what failed or expired never gets a receipt.")
