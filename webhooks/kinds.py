"""Event types (contract §13.5): the complete list."""

KINDS = {
    "payment.action_required": "A card payment needs confirmation or 3DS",
    "payment.authorized": "A card payment is authorized, not yet settled",
    "payment.paid": "A payment is confirmed: release the order now",
    "payment.failed": "A payment was declined",
    "payment.expired": "A payment expired",
    "payment.refunded": "The full amount was returned",
    "payment.updated": "Checkout ready, partly refunded, pending again, or instructions changed",
    "refund.created": "A refund was requested",
    "refund.response_required": "A payer requested a refund: answer before responseDueAt",
    "refund.updated": "A refund was answered or is being decided",
    "refund.completed": "The money of a refund is back with the payer",
    "refund.failed": "A refund could not be completed",
    "refund.rejected": "A payer's refund request was decided in favor of the company",
    "refund.canceled": "A payer withdrew a refund request",
    "withdrawal.completed": "A withdrawal reached its beneficiary",
    "withdrawal.failed": "A withdrawal was rejected; the money is back",
    "withdrawal.returned": "The beneficiary's bank returned the money",
    "conversion.completed": "Money moved between two wallets",
    "advance.approved": "An advance was approved",
    "advance.refused": "An advance was refused",
    "balance.released": "Money moved from RELEASING to available",
    "payment_method.saved": "A card was saved for a customer",
    "payment_method.removed": "A saved card was removed",
    "webhook.test": "A test event that you requested",
}
EVERYTHING = "*"
