"""What codes of the technical pages are called."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.advice import Advice
from gateway.dashboard.words import BAD, DONE, GOOD, QUIET, WAITING, Word
from ledger.chart import AccountKind
from webhooks.doctor import Verdict

PERMISSION: dict[str, Promise] = {
    "payments:write": _("Create payments; simulate them in the sandbox"),
    "transactions:read": _("Look payments up, list them, fetch receipts and boletos"),
    "refunds:write": _("Ask for refunds and answer them"),
    "refunds:read": _("Look refunds up"),
    "payment-methods:read": _("List the payment methods"),
    "webhooks:write": _("Create, change and delete webhook endpoints; redeliver and test"),
    "webhooks:read": _("List webhook endpoints, deliveries and events"),
    "companies:read": _("Read the company"),
    "balances:read": _("Read balances, releasing and blocked money"),
    "withdrawals:write": _("Withdraw money"),
    "withdrawals:read": _("Look withdrawals up"),
    "conversions:write": _("Quote and confirm conversions"),
    "customers:read": _("List customers"),
}

ADVICE: dict[Advice, tuple[Promise, Promise]] = {
    Advice.NEVER_USED: (
        _("Never used"),
        _("This key is more than 60 days old and was never used. What nobody needs, nobody should find: revoke it."),
    ),
    Advice.UNUSED: (
        _("Unused for 60 days"),
        _("Nothing has called with this key for 60 days. Revoke it if nothing needs it any more."),
    ),
    Advice.MAY_TOO_MUCH: (
        _("May more than it uses"),
        _("Some of its permissions were not used for 60 days. Issue a key with the others, and revoke this one."),
    ),
    Advice.MAY_EVERYTHING: (
        _("May everything"),
        _("Whoever finds this key can move your money. Give each part of your system a key of its own."),
    ),
}

KIND: dict[str, Promise] = {
    "payment.action_required": _("A card payment needs confirmation or 3DS"),
    "payment.authorized": _("A card payment is authorized, not yet settled"),
    "payment.paid": _("A payment is confirmed: release the order now"),
    "payment.failed": _("A payment was refused"),
    "payment.expired": _("The payer's time is over"),
    "payment.refunded": _("The whole amount went back"),
    "payment.updated": _("Checkout ready, partly refunded, pending again, or instructions changed"),
    "refund.created": _("A refund was requested"),
    "refund.response_required": _("A payer asks for money back: answer before responseDueAt"),
    "refund.updated": _("A refund was answered or is being decided"),
    "refund.completed": _("The money of a refund is back with the payer"),
    "refund.failed": _("A refund could not be carried out"),
    "refund.rejected": _("A payer's request was decided for the company"),
    "refund.canceled": _("A payer withdrew their request"),
    "withdrawal.completed": _("A withdrawal reached its beneficiary"),
    "withdrawal.failed": _("A withdrawal was refused; the money is back"),
    "withdrawal.returned": _("The beneficiary's bank sent the money back"),
    "conversion.completed": _("Money moved between two wallets"),
    "advance.approved": _("An advance was granted"),
    "advance.refused": _("An advance was refused"),
    "balance.released": _("Money left RELEASING and is available"),
    "webhook.test": _("A test that you asked for"),
}

ENDPOINT: dict[str, Word] = {
    "ACTIVE": (_("Active"), GOOD),
    "INACTIVE": (_("Switched off"), QUIET),
    "DISABLED": (_("Disabled by us"), BAD),
}
DISABLED_REASON: dict[str, Promise] = {
    "FAILURES": _("Nothing arrived for five days."),
    "GONE": _("The address answered 410: it is gone for good."),
}
DELIVERY: dict[str, Word] = {
    "PENDING": (_("On its way"), WAITING),
    "DELIVERED": (_("Delivered"), GOOD),
    "FAILED": (_("Given up"), BAD),
    "CANCELED": (_("Canceled"), QUIET),
}

FAILURE: dict[str, Promise] = {
    "CONNECTION_REFUSED": _("Nothing listens there: the connection was refused"),
    "CONNECTION_RESET": _("The connection was cut"),
    "DNS": _("The host name has no address"),
    "FORBIDDEN_ADDRESS": _("The host leads to an address that we must not call"),
    "INVALID_RESPONSE": _("The answer was no HTTP"),
    "TIMEOUT": _("No answer within 15 seconds"),
    "TLS": _("The certificate is not valid for this host"),
    "UNFORESEEN": _("Something went wrong on our side; it is tried again"),
    "UNREACHABLE": _("The host could not be reached"),
}

VERDICT: dict[Verdict, Word] = {
    Verdict.OK: (_("Everything fits"), GOOD),
    Verdict.BODY_REENCODED: (_("The body was parsed and written again"), BAD),
    Verdict.WRONG_ENDPOINT_SECRET: (_("The secret belongs to another endpoint"), BAD),
    Verdict.PREVIOUS_SECRET: (_("The secret is the previous one"), WAITING),
    Verdict.TIMESTAMP_SKEW: (_("The clock is off, or it was verified too late"), WAITING),
    Verdict.TRAILING_NEWLINE: (_("White space was added or lost"), BAD),
    Verdict.WRONG_ENCODING: (_("Something was encoded otherwise"), BAD),
    Verdict.API_KEY_PASTED: (_("An API key stands where the secret belongs"), BAD),
    Verdict.UNKNOWN: (_("No known cause fits"), DONE),
}

ACCOUNT: dict[str, Promise] = {
    AccountKind.AVAILABLE: _("Available"),
    AccountKind.RELEASING: _("Releasing"),
    AccountKind.BLOCKED: _("Blocked"),
    AccountKind.CLEARING: _("At the provider"),
    AccountKind.FEE_INCOME: _("Our fee"),
    AccountKind.ADVANCE_INCOME: _("Our fee for the advance"),
    AccountKind.FX_POSITION: _("Exchanged"),
    AccountKind.FX_SPREAD: _("Spread"),
    AccountKind.PAYOUT: _("On its way out"),
    AccountKind.DEBT: _("Owed to us"),
}
KEY_STATE: dict[str, Promise] = {
    "ANSWERED": _("It was answered: a repetition with this key gets the same answer and does nothing."),
    "IN_PROGRESS": _("It is being carried out: a repetition is asked to wait a second."),
    "UNFINISHED": _("It was begun and not finished: a repetition with this key goes on with it."),
    "FREE": _("Nothing was kept under this key: it is safe to use it again."),
}

DUE: dict[str, Promise] = {
    "payment.answered": _("The provider of a payment answers"),
    "payment.expired": _("A payment's time is over"),
    "balance.released": _("Money is released"),
    "withdrawal.answered": _("A withdrawal's bank answers"),
    "refund.answered": _("The provider of a refund answers"),
    "refund.reminded": _("A refund waits for an answer: a reminder"),
    "refund.lapsed": _("The time to answer a refund is over"),
    "webhook.retried": _("A webhook is tried again"),
}
