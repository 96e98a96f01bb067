"""What is announced (contract §13.5): the complete list of event kinds."""

KINDS = {
    "payment.action_required": "A card payment needs confirmation or 3DS",
    "payment.authorized": "A card payment is authorized, not yet settled",
    "payment.paid": "A payment is confirmed: release the order now",
    "payment.failed": "A payment was refused",
    "payment.expired": "The payer's time is over",
    "payment.refunded": "The whole amount went back",
    "payment.updated": "Checkout ready, partly refunded, pending again, or instructions changed",
    "refund.created": "A refund was requested",
    "refund.response_required": "A payer asks for money back: answer before responseDueAt",
    "refund.updated": "A refund was answered or is being decided",
    "refund.completed": "The money of a refund is back with the payer",
    "refund.failed": "A refund could not be carried out",
    "refund.rejected": "A payer's request was decided for the company",
    "refund.canceled": "A payer withdrew their request",
    "withdrawal.completed": "A withdrawal reached its beneficiary",
    "withdrawal.failed": "A withdrawal was refused; the money is back",
    "withdrawal.returned": "The beneficiary's bank sent the money back",
    "conversion.completed": "Money moved between two wallets",
    "advance.approved": "An advance was granted",
    "advance.refused": "An advance was refused",
    "balance.released": "Money left RELEASING and is available",
    "webhook.test": "A test that you asked for",
}
EVERYTHING = "*"
