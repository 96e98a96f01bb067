"""Texts about refunds: kinds, reasons, stages, and helpful evidence."""

from datetime import timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.dashboard.words import BAD, DONE, QUIET, WAITING, Word
from gateway.refunds.inbox import RefundKind, Tab
from gateway.refunds.reasons import ReasonCode

TAB: dict[str, Promise] = {
    Tab.WAITING: _("Waiting for your answer"),
    Tab.REVIEW: _("Under review"),
    Tab.PROCESSING: _("Processing"),
    Tab.DONE: _("Done"),
}

KIND: dict[str, Word] = {
    RefundKind.COMPANY: (_("By you"), QUIET),
    RefundKind.MED: (_("PIX MED"), WAITING),
    RefundKind.DISPUTE: (_("Card dispute"), BAD),
    RefundKind.CLAIM: (_("Payer's claim"), DONE),
}

KIND_SENTENCE: dict[str, Promise] = {
    RefundKind.COMPANY: _("Your company makes the refund. Nobody has to answer."),
    RefundKind.MED: _(
        "The payer's institution claims the money back through PIX MED, Banco Central's special return mechanism."
    ),
    RefundKind.DISPUTE: _("The cardholder disputed the payment with the card issuer."),
    RefundKind.CLAIM: _("The payer requests a refund through the bank or wallet that paid."),
}

REASON: dict[str, tuple[Promise, Promise]] = {
    ReasonCode.FRAUD: (_("Fraud"), _("Someone else is reported to have paid with the payer's account or card.")),
    ReasonCode.UNRECOGNIZED: (_("Not recognized"), _("The payer does not recognize this payment.")),
    ReasonCode.DUPLICATE: (_("Duplicate"), _("The payer says that they paid twice for the same thing.")),
    ReasonCode.NOT_RECEIVED: (_("Not received"), _("The payer says that nothing was delivered.")),
    ReasonCode.NOT_AS_DESCRIBED: (_("Not as described"), _("The payer says that it is not what was promised.")),
    ReasonCode.SCAM: (_("Scam"), _("The payer says that they were tricked into paying.")),
    ReasonCode.ACCOUNT_TAKEOVER: (_("Account takeover"), _("Someone else had taken over the payer's account.")),
    ReasonCode.COERCION: (_("Coercion"), _("The payer was forced to pay.")),
    ReasonCode.FRAUDULENT_ACCESS: (
        _("Fraudulent access"),
        _("Someone else had obtained the payer's access data."),
    ),
    ReasonCode.OPERATIONAL_ERROR: (
        _("Operational error"),
        _("The payer's bank says that it sent this payment by mistake."),
    ),
    ReasonCode.OTHER: (_("Other"), _("The payer gave another reason.")),
}

_INVOICE = _("Invoice or order with date, amount and what was bought")
_DELIVERY = _("Proof of delivery: carrier, date, address and signature")
_MESSAGES = _("Messages between you and the payer")
_TERMS = _("Your terms of sale and return, as the payer accepted them")

_NOT_THE_PAYER = (
    _("Proof that the payer placed the order: sign-in, IP address of the device, time"),
    _("Earlier undisputed orders of the same payer"),
    _DELIVERY,
    _INVOICE,
    _MESSAGES,
)

DOCUMENTS: dict[str, tuple[Promise, ...]] = {
    ReasonCode.FRAUD: _NOT_THE_PAYER,
    ReasonCode.SCAM: (_INVOICE, _DELIVERY, _MESSAGES, _TERMS),
    ReasonCode.ACCOUNT_TAKEOVER: _NOT_THE_PAYER,
    ReasonCode.COERCION: _NOT_THE_PAYER,
    ReasonCode.FRAUDULENT_ACCESS: _NOT_THE_PAYER,
    ReasonCode.UNRECOGNIZED: (
        _INVOICE,
        _("What the payer saw and received with the order: confirmation, receipt, e-mail"),
        _("The name of your shop as the payer knows it, and where the order was placed"),
        _DELIVERY,
    ),
    ReasonCode.DUPLICATE: (
        _("Both orders with their numbers, dates and items"),
        _("Proof that each was delivered"),
        _("The refund of one of them, if you already made one"),
    ),
    ReasonCode.NOT_RECEIVED: (
        _DELIVERY,
        _("Tracking from dispatch to arrival"),
        _("Proof of use, if it was a service, a ticket or a download"),
        _("The agreed delivery date"),
        _MESSAGES,
    ),
    ReasonCode.NOT_AS_DESCRIBED: (
        _("Description and pictures as they were when the payer ordered"),
        _TERMS,
        _("What you offered: exchange, repair, return"),
        _MESSAGES,
    ),
    ReasonCode.OPERATIONAL_ERROR: (
        _("The order for which this exact amount was paid"),
        _INVOICE,
        _DELIVERY,
    ),
    ReasonCode.OTHER: (_INVOICE, _DELIVERY, _TERMS, _MESSAGES),
}

SIMULATED: dict[str, Promise] = {
    "REJECTED": _("Decide in favor of the company"),
    "PROCESSING": _("Decide in favor of the payer"),
    "CANCELED": _("Withdraw it as the payer"),
    "COMPLETED": _("Complete the refund"),
    "FAILED": _("Reject it as the bank"),
}

POSTED: dict[str, Promise] = {
    "refund.held": _("Held for the refund"),
    "refund.filled": _("Held from later incoming money"),
    "refund.reduced": _("No longer held: the bank took the payment back itself"),
    "refund.repaid": _("Debt from a return by the bank paid"),
    "refund.reversed": _("Lost dispute reversed by the acquirer"),
    "refund.taken_again": _("Reversed dispute lost again"),
    "refund.returned": _("Returned to you"),
    "refund.completed": _("Refunded to the payer"),
}

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def time_left(left: timedelta) -> str:
    """In its two largest units, which every language writes alike: "2 d 4 h", "5 h 12 min". Never below 0."""
    seconds = max(0, int(left.total_seconds()))
    days, hours, minutes = seconds // _DAY, seconds % _DAY // _HOUR, seconds % _HOUR // _MINUTE
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
