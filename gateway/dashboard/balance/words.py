"""What buckets, causes, postings and blocks are called, and what can be done about blocked money."""

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
    AccountKind.AVAILABLE: _("What can be withdrawn, converted or given back now."),
    AccountKind.RELEASING: _("Paid, and available on its day."),
    AccountKind.BLOCKED: _("Yours, but held for a refund, a withdrawal or by order."),
    TOTAL: _("All three together."),
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
    Cause.BLOCKS: _("Blocks by order"),
    Cause.ADJUSTMENTS: _("Adjustments"),
}

POSTED: dict[str, Promise] = {
    "payment.paid": _("Payment"),
    "receivable.released": _("Released"),
    "receivable.advanced": _("Advanced"),
    "refund.held": _("Held for a refund"),
    "refund.filled": _("Held for a refund that waited for money"),
    "refund.completed": _("Refund paid out"),
    "refund.returned": _("Refund ended, money back"),
    "withdrawal.held": _("Held for a withdrawal"),
    "withdrawal.completed": _("Withdrawal paid out"),
    "withdrawal.failed": _("Withdrawal failed, money back"),
    "withdrawal.returned": _("Withdrawal sent back by the bank"),
    "conversion.completed": _("Conversion"),
    "hold.placed": _("Blocked by order"),
    "hold.lifted": _("Block lifted"),
}
"""What a transfer of this kind is called in a statement."""

FEE: dict[str, Promise] = {Cause.FEES: _("Fee"), Cause.ADVANCE_FEES: _("Fee of the advance")}

REASON: dict[str, tuple[Promise, Promise]] = {
    Reason.REFUND_DISPUTE: (
        _("A payer asks for it back"),
        _("Answer before the deadline: what you say decides who gets the money."),
    ),
    Reason.REFUND_PROCESSING: (
        _("On its way back to a payer"),
        _("Nothing to do: it ends when the refund is completed."),
    ),
    Reason.WITHDRAWAL_PROCESSING: (
        _("On its way to a beneficiary"),
        _("Nothing to do: it ends when the bank has answered."),
    ),
    Reason.COMPLIANCE: (_("Compliance"), _("Ask support what is needed to lift it.")),
    Reason.LEGAL_ORDER: (_("Legal order"), _("Ask support for the order; your lawyer can answer it.")),
}
"""Why money is blocked, and what its owner can do about it."""
