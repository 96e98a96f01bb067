"""Labels of buckets, causes, postings and holds, and advice about holds."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ledger.chart import AccountKind
from ledger.holds.models import Reason
from ledger.wallets.explain import Cause

TOTAL = "TOTAL"
BUCKET: dict[str, Promise] = {
    AccountKind.AVAILABLE: _("Available"),
    AccountKind.RELEASING: _("Releasing"),
    AccountKind.BLOCKED: _("Blocked"),
    TOTAL: _("Total"),
}
BUCKET_SENTENCE: dict[str, Promise] = {
    AccountKind.AVAILABLE: _("Money that can be withdrawn, converted or refunded now."),
    AccountKind.RELEASING: _("Paid, and available on its release date."),
    AccountKind.BLOCKED: _("Yours, but held for a refund, a withdrawal or by legal order."),
    TOTAL: _("The sum of all three."),
}

CAUSE: dict[str, Promise] = {
    Cause.PAYMENTS: _("Payments"),
    Cause.FEES: _("Fees"),
    Cause.RELEASES: _("Releases"),
    Cause.ADVANCES: _("Advances"),
    Cause.ADVANCE_FEES: _("Fees of advances"),
    Cause.REFUNDS: _("Refunds and disputes"),
    Cause.WITHDRAWALS: _("Withdrawals"),
    Cause.CONVERSIONS: _("Conversions"),
    Cause.BLOCKS: _("Holds by legal order, and rolling reserve"),
    Cause.ADJUSTMENTS: _("Adjustments"),
}

POSTED: dict[str, Promise] = {
    "payment.paid": _("Payment"),
    "receivable.released": _("Released"),
    "receivable.advanced": _("Advanced"),
    "refund.held": _("Held for a refund"),
    "refund.filled": _("Held for a refund that was waiting for funds"),
    "refund.reduced": _("No longer held: the bank took the payment back itself"),
    "refund.repaid": _("Debt from a return by the bank paid"),
    "refund.reversed": _("Lost dispute reversed by the acquirer"),
    "refund.taken_again": _("Reversed dispute lost again"),
    "refund.completed": _("Refund paid out"),
    "refund.returned": _("Refund ended, money returned"),
    "withdrawal.held": _("Held for a withdrawal"),
    "withdrawal.completed": _("Withdrawal paid out"),
    "withdrawal.failed": _("Withdrawal failed, money returned"),
    "withdrawal.returned": _("Withdrawal returned by the bank"),
    "conversion.completed": _("Conversion"),
    "hold.placed": _("Held by legal order"),
    "hold.lifted": _("Hold released"),
    "reserve.held": _("Held as rolling reserve"),
    "reserve.released": _("Rolling reserve released"),
    "sandbox.topped_up": _("Topped up in the sandbox"),
    "bank.received": _("Transfer to our bank account"),
    "bank.sent": _("Transfer from our bank account"),
}
"""Labels of transfer kinds in a statement."""

FEE: dict[str, Promise] = {Cause.FEES: _("Fee"), Cause.ADVANCE_FEES: _("Fee of the advance")}

REASON: dict[str, tuple[Promise, Promise]] = {
    Reason.REFUND_DISPUTE: (
        _("A payer requested a refund"),
        _("Answer before the deadline: your answer decides who gets the money."),
    ),
    Reason.REFUND_PROCESSING: (
        _("Being returned to a payer"),
        _("No action is needed: it ends when the refund is completed."),
    ),
    Reason.MED: (
        _("Claimed back through PIX MED"),
        _("Answer within 72 hours. It ends at the latest when the return window ends."),
    ),
    Reason.WITHDRAWAL_PROCESSING: (
        _("Being paid to a beneficiary"),
        _("No action is needed: it ends when the bank has answered."),
    ),
    Reason.COMPLIANCE: (_("Compliance"), _("Ask support what is needed to lift it.")),
    Reason.ROLLING_RESERVE: (
        _("Rolling reserve"),
        _("A share of each payment, as agreed with support. No action is needed: it ends by itself."),
    ),
    Reason.LEGAL_ORDER: (_("Legal order"), _("Ask support for the order; your lawyer can respond to it.")),
}
"""Why money is held, and what its owner can do."""
