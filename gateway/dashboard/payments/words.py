"""Texts about payments: events, accounts, and why a refund is not possible."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.dashboard.words import BAD, DONE, GOOD, QUIET, WAITING, Word
from gateway.methods.card.cards import Funding, Plays
from gateway.payments.models import Status
from ledger.chart import AccountKind

HAPPENED: dict[str, Word] = {
    "payment.created": (_("Created"), DONE),
    "payment.action_required": (_("The payer must act"), WAITING),
    "payment.authorized": (_("Authorized by the card issuer"), DONE),
    "payment.paid": (_("Paid"), GOOD),
    "payment.failed": (_("Failed"), BAD),
    "payment.expired": (_("Payment expired"), QUIET),
    "payment.refunded": (_("Fully refunded"), DONE),
    "payment.updated": (_("Changed"), DONE),
    "refund.created": (_("Refund requested"), WAITING),
    "refund.response_required": (_("The payer is waiting for your answer"), BAD),
    "refund.updated": (_("Refund answered or decided"), WAITING),
    "refund.completed": (_("Refund completed"), GOOD),
    "refund.failed": (_("Refund failed"), BAD),
    "refund.rejected": (_("Refund rejected"), QUIET),
    "refund.canceled": (_("Refund withdrawn by the payer"), QUIET),
    "expires": (_("Payment expires"), QUIET),
    "releases": (_("The money becomes available"), QUIET),
    "RELEASED": (_("The money became available"), GOOD),
    "ADVANCED": (_("The money was advanced"), GOOD),
}

POSTED: dict[str, Promise] = {
    "payment.paid": _("The payer paid"),
    "receivable.released": _("Released"),
    "receivable.advanced": _("Advanced"),
    "refund.held": _("Held for a refund"),
    "refund.filled": _("Held from later incoming money"),
    "refund.reduced": _("No longer held: the bank took the payment back itself"),
    "refund.repaid": _("Debt from a return by the bank paid"),
    "refund.reversed": _("Lost dispute reversed by the acquirer"),
    "refund.taken_again": _("Reversed dispute lost again"),
    "refund.returned": _("Refund failed: money returned to you"),
    "refund.completed": _("Refunded to the payer"),
}

ACCOUNT: dict[str, Promise] = {
    AccountKind.AVAILABLE: _("Your balance, available"),
    AccountKind.RELEASING: _("Your balance, releasing"),
    AccountKind.BLOCKED: _("Your balance, blocked"),
    AccountKind.CLEARING: _("Owed by the provider"),
    AccountKind.SUSPENSE: _("In suspense: not yours"),
    AccountKind.FEE_INCOME: _("Our fee"),
    AccountKind.ADVANCE_INCOME: _("Our fee for the advance"),
    AccountKind.FX_POSITION: _("Currency exchange"),
    AccountKind.FX_SPREAD: _("Our spread"),
    AccountKind.PAYOUT: _("Being paid to a beneficiary"),
    AccountKind.DEBT: _("Your debt to us"),
}

NEVER_PAID: dict[str, Promise] = {
    Status.PENDING: _("There is nothing to refund yet: the payer has not paid."),
    Status.ACTION_REQUIRED: _("There is nothing to refund yet: the payer has not paid."),
    Status.AUTHORIZED: _("There is nothing to refund yet: the card is authorized and not yet charged."),
    Status.FAILED: _("There is nothing to refund: the payment failed and no money arrived."),
    Status.EXPIRED: _("There is nothing to refund: the payment expired and no money arrived."),
    Status.REFUNDED: _("There is nothing left to refund: the full amount was returned to the payer."),
}
CANNOT_REFUND: dict[str, Promise] = {
    "ONP409_REFUND_IN_DISPUTE": _(
        "You cannot refund this payment because the payer disputes it. Answer the dispute instead."
    ),
    "ONP422_REFUND_AMOUNT_EXCEEDED": _("There is nothing left to refund: the rest is already being refunded."),
    "ONP422_REFUND_WINDOW_CLOSED": _("The payment is too old to be refunded. Send the payer the money in another way."),
    "ONP409_RECEIVABLE_RESERVED": _(
        "You cannot refund this payment while its money is reserved for an advance that is under review."
    ),
    "ONP403_COMPANY_STATUS": _("The company is not active, so it cannot make refunds."),
}
REFUSED: dict[str, Promise] = CANNOT_REFUND | {
    "ONP400_DUE_DATE": _("The due date must be today or one of the next 365 days in São Paulo."),
    "ONP409_DUPLICATE_REFERENCE": _("Another one already has this reference. Check it before you repeat it."),
}

CARD: dict[Plays, Promise] = {
    Plays.APPROVED: _("Approved"),
    Plays.CHALLENGE: _("Approved once the cardholder confirms"),
    Plays.CHALLENGE_REFUSED: _("The cardholder's confirmation fails"),
    Plays.REFUSED: _("Declined by the card issuer"),
    Plays.INSUFFICIENT_FUNDS: _("Insufficient funds"),
    Plays.EXPIRED: _("Expired card"),
    Plays.INVALID_CVV: _("Wrong security code"),
    Plays.TIMEOUT: _("No answer: it stays pending"),
}
FUNDING: dict[Funding, Promise] = {
    Funding.CREDIT: _("Credit card"),
    Funding.DEBIT: _("Debit card"),
    Funding.PREPAID: _("Prepaid card"),
    Funding.UNKNOWN: _("Unknown card type"),
}
