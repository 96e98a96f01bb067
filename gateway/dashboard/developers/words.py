"""What codes of the technical pages are called."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.advice import Advice
from gateway.dashboard.words import BAD, DONE, GOOD, QUIET, WAITING, Word
from ledger.chart import AccountKind
from webhooks.doctor import Verdict

PERMISSION: dict[str, Promise] = {
    "payments:write": _("Create payments; simulate them in the sandbox"),
    "transactions:read": _("Read and list payments, fetch receipts and boletos"),
    "refunds:write": _("Make refunds and answer refund requests"),
    "refunds:read": _("Read refunds"),
    "payment-methods:read": _("List the payment methods"),
    "webhooks:write": _("Create, change and delete webhook endpoints; redeliver and test"),
    "webhooks:read": _("List webhook endpoints, deliveries and events"),
    "companies:read": _("Read the company"),
    "balances:read": _("Read balances, releasing and blocked money"),
    "withdrawals:write": _("Withdraw money"),
    "withdrawals:read": _("Read withdrawals"),
    "conversions:write": _("Quote and confirm conversions"),
    "customers:read": _("List customers"),
}

ADVICE: dict[Advice, tuple[Promise, Promise]] = {
    Advice.NEVER_USED: (
        _("Never used"),
        _("This key is more than 60 days old and was never used. Revoke it if nothing needs it."),
    ),
    Advice.UNUSED: (
        _("Unused for 60 days"),
        _("This key has not been used for 60 days. Revoke it if nothing needs it any more."),
    ),
    Advice.MAY_TOO_MUCH: (
        _("Has more permissions than it uses"),
        _("Some of its permissions have not been used for 60 days. Issue a key with the others, and revoke this one."),
    ),
    Advice.MAY_EVERYTHING: (
        _("Has all permissions"),
        _("Anyone who finds this key can move your money. Give each part of your system its own key."),
    ),
}

KIND: dict[str, Promise] = {
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
    "withdrawal.completed": _("A withdrawal reached its beneficiary"),
    "withdrawal.failed": _("A withdrawal was rejected; the money is back"),
    "withdrawal.returned": _("The beneficiary's bank returned the money"),
    "conversion.completed": _("Money moved between two wallets"),
    "advance.approved": _("An advance was approved"),
    "advance.refused": _("An advance was refused"),
    "balance.released": _("Money moved from RELEASING to available"),
    "webhook.test": _("A test event that you requested"),
}

ENDPOINT: dict[str, Word] = {
    "ACTIVE": (_("Active"), GOOD),
    "INACTIVE": (_("Disabled"), QUIET),
    "DISABLED": (_("Disabled by us"), BAD),
}
DISABLED_REASON: dict[str, Promise] = {
    "FAILURES": _("Nothing was delivered for five days."),
    "GONE": _("The address answered 410: it is permanently gone."),
}
DELIVERY: dict[str, Word] = {
    "PENDING": (_("In progress"), WAITING),
    "DELIVERED": (_("Delivered"), GOOD),
    "FAILED": (_("Gave up"), BAD),
    "CANCELED": (_("Canceled"), QUIET),
}

FAILURE: dict[str, Promise] = {
    "CONNECTION_REFUSED": _("Nothing is listening there: the connection was refused"),
    "CONNECTION_RESET": _("The connection was closed"),
    "DNS": _("The host name does not resolve"),
    "FORBIDDEN_ADDRESS": _("The host resolves to an address that we must not call"),
    "INVALID_RESPONSE": _("The response was not HTTP"),
    "TIMEOUT": _("No answer within 15 seconds"),
    "TLS": _("The certificate is not valid for this host"),
    "UNFORESEEN": _("Something went wrong on our side; it will be retried"),
    "UNREACHABLE": _("The host could not be reached"),
}

VERDICT: dict[Verdict, Word] = {
    Verdict.OK: (_("Everything matches"), GOOD),
    Verdict.BODY_REENCODED: (_("The body was parsed and serialized again"), BAD),
    Verdict.WRONG_ENDPOINT_SECRET: (_("The secret belongs to another endpoint"), BAD),
    Verdict.PREVIOUS_SECRET: (_("The secret is the previous one"), WAITING),
    Verdict.TIMESTAMP_SKEW: (_("The clock is wrong, or it was verified too late"), WAITING),
    Verdict.TRAILING_NEWLINE: (_("Whitespace was added or lost"), BAD),
    Verdict.WRONG_ENCODING: (_("A different encoding was used"), BAD),
    Verdict.API_KEY_PASTED: (_("An API key was entered instead of the secret"), BAD),
    Verdict.UNKNOWN: (_("No known cause matches"), DONE),
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
    AccountKind.PAYOUT: _("Outgoing"),
    AccountKind.DEBT: _("Owed to us"),
}
KEY_STATE: dict[str, Promise] = {
    "ANSWERED": _("It was answered: a retry with this key gets the same response and does nothing."),
    "IN_PROGRESS": _("It is in progress: a retry is asked to wait a second."),
    "UNFINISHED": _("It was started but not finished: a retry with this key resumes it."),
    "FREE": _("Nothing was stored under this key: it is safe to use it again."),
}

DUE: dict[str, Promise] = {
    "payment.answered": _("The provider of a payment answers"),
    "payment.expired": _("A payment expired"),
    "balance.released": _("Money is released"),
    "withdrawal.answered": _("The bank answers a withdrawal"),
    "refund.answered": _("The provider of a refund answers"),
    "refund.reminded": _("Reminder: a refund request is waiting for your answer"),
    "refund.lapsed": _("The deadline to answer a refund has passed"),
    "webhook.retried": _("A webhook delivery is retried"),
}
