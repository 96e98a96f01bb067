"""What is said about refunds: kinds, reasons, stages, and what convinces whoever decides."""

from datetime import timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.dashboard.words import BAD, DONE, QUIET, WAITING, Word
from gateway.refunds.inbox import RefundKind, Tab
from gateway.refunds.models import ReasonCode

TAB: dict[str, Promise] = {
    Tab.WAITING: _("Waits for your answer"),
    Tab.REVIEW: _("Under review"),
    Tab.PROCESSING: _("Processing"),
    Tab.DONE: _("Done"),
}

KIND: dict[str, Word] = {
    RefundKind.COMPANY: (_("By you"), QUIET),
    RefundKind.MED: (_("PIX MED"), WAITING),
    RefundKind.DISPUTE: (_("Card dispute"), BAD),
    RefundKind.CLAIM: (_("Claim of the payer"), DONE),
}

KIND_SENTENCE: dict[str, Promise] = {
    RefundKind.COMPANY: _("Your company gives money back. Nobody has to answer."),
    RefundKind.MED: _("The payer's bank asks for the money back by the special return of PIX (MED)."),
    RefundKind.DISPUTE: _("The cardholder disputes the payment with the bank that issued the card."),
    RefundKind.CLAIM: _("The payer asks for the money back through the bank or wallet that paid."),
}

REASON: dict[str, tuple[Promise, Promise]] = {
    ReasonCode.FRAUD: (_("Fraud"), _("Somebody else is said to have paid with the payer's account or card.")),
    ReasonCode.UNRECOGNIZED: (_("Not recognized"), _("The payer does not know what this payment was for.")),
    ReasonCode.DUPLICATE: (_("Duplicate"), _("The payer says that the same thing was paid twice.")),
    ReasonCode.NOT_RECEIVED: (_("Not received"), _("The payer says that nothing arrived.")),
    ReasonCode.NOT_AS_DESCRIBED: (_("Not as described"), _("The payer says that something else was promised.")),
    ReasonCode.OPERATIONAL_ERROR: (_("Operational error"), _("The payer's bank says that it sent this by mistake.")),
    ReasonCode.OTHER: (_("Other"), _("The payer gave another reason.")),
}

_INVOICE = _("Invoice or order with date, amount and what was bought")
_DELIVERY = _("Proof of delivery: carrier, date, address and signature")
_MESSAGES = _("Messages between you and the payer")
_TERMS = _("Your terms of sale and return, as the payer accepted them")

DOCUMENTS: dict[str, tuple[Promise, ...]] = {
    ReasonCode.FRAUD: (
        _("Proof that the payer placed the order: sign-in, address of the device, time"),
        _("Earlier orders of the same payer that nobody disputed"),
        _DELIVERY,
        _INVOICE,
        _MESSAGES,
    ),
    ReasonCode.UNRECOGNIZED: (
        _INVOICE,
        _("What the payer saw and received when ordering: confirmation, receipt, e-mail"),
        _("The name of your shop as the payer knows it, and where the order was placed"),
        _DELIVERY,
    ),
    ReasonCode.DUPLICATE: (
        _("Both orders with their numbers, dates and contents"),
        _("Proof that each was delivered"),
        _("The refund of one of them, if you made one already"),
    ),
    ReasonCode.NOT_RECEIVED: (
        _DELIVERY,
        _("Tracking from dispatch to arrival"),
        _("Proof of use, if it was a service, a ticket or a download"),
        _("The date of delivery that was agreed"),
        _MESSAGES,
    ),
    ReasonCode.NOT_AS_DESCRIBED: (
        _("Description and pictures as they were when the payer ordered"),
        _TERMS,
        _("What you offered: exchange, repair, return"),
        _MESSAGES,
    ),
    ReasonCode.OPERATIONAL_ERROR: (
        _("The order that this very amount was paid for"),
        _INVOICE,
        _DELIVERY,
    ),
    ReasonCode.OTHER: (_INVOICE, _DELIVERY, _TERMS, _MESSAGES),
}

SIMULATED: dict[str, Promise] = {
    "REJECTED": _("Decide for the company"),
    "PROCESSING": _("Decide for the payer"),
    "CANCELED": _("Let the payer give up"),
    "COMPLETED": _("Let it be paid back"),
    "FAILED": _("Let the bank refuse it"),
}

POSTED: dict[str, Promise] = {
    "refund.held": _("Blocked for the refund"),
    "refund.filled": _("Blocked from money that came later"),
    "refund.returned": _("Given back to you"),
    "refund.completed": _("Paid back to the payer"),
}

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def time_left(left: timedelta) -> str:
    """In its two greatest units, which are written alike in every language: "2 d 4 h", "5 h 12 min". Never below 0."""
    seconds = max(0, int(left.total_seconds()))
    days, hours, minutes = seconds // _DAY, seconds % _DAY // _HOUR, seconds % _HOUR // _MINUTE
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
