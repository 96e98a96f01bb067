"""Event types (contract §13.5): the complete list, in English; pages translate them."""

from django.utils.translation import gettext_noop as _

KINDS = {
    "payment.action_required": _("A card payment needs confirmation or 3DS"),
    "payment.authorized": _("A card payment is authorized, not yet settled"),
    "payment.paid": _("A payment is confirmed: release the order now"),
    "payment.failed": _("A payment was declined"),
    "payment.expired": _("A payment expired"),
    "payment.refunded": _("The full amount was returned"),
    "payment.updated": _("Checkout ready, partly refunded, pending again, or instructions changed"),
    "refund.created": _("A refund was requested"),
    "refund.response_required": _("A payer requested a refund: answer before responseDueAt"),
    "refund.updated": _("A refund was answered or is being decided"),
    "refund.completed": _("The money of a refund is back with the payer"),
    "refund.failed": _("A refund could not be completed"),
    "refund.rejected": _("A payer's refund request was decided in favor of the company"),
    "refund.canceled": _("A payer withdrew a refund request"),
    "withdrawal.approval_requested": _("A withdrawal waits for approval"),
    "withdrawal.completed": _("A withdrawal reached its beneficiary"),
    "withdrawal.failed": _("A withdrawal was rejected; the money is back"),
    "withdrawal.returned": _("The beneficiary's bank returned the money"),
    "conversion.completed": _("Money moved between two wallets"),
    "advance.approved": _("An advance was approved"),
    "advance.refused": _("An advance was refused"),
    "balance.released": _("Money moved from RELEASING to available"),
    "payment_method.saved": _("A card was saved for a customer"),
    "payment_method.removed": _("A saved card was removed"),
    "webhook.test": _("A test event that you requested"),
}
EVERYTHING = "*"
