"""What acquirers report about settled money, line by line."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db.models import TextChoices


class LineKind(TextChoices):
    PAYMENT = "PAYMENT", "Payment"
    REFUND = "REFUND", "Refund"
    REFUND_FAILED = "REFUND_FAILED", "Refund that came back"
    DISPUTE = "DISPUTE", "Dispute"
    DISPUTE_WON = "DISPUTE_WON", "Dispute won"
    FEE = "FEE", "Fee"
    PAYOUT = "PAYOUT", "Payout"
    PAYOUT_FAILED = "PAYOUT_FAILED", "Payout that came back"
    ADJUSTMENT = "ADJUSTMENT", "Adjustment"


OF_A_PAYMENT = (LineKind.PAYMENT, LineKind.REFUND, LineKind.REFUND_FAILED, LineKind.DISPUTE, LineKind.DISPUTE_WON)
"""Kinds that have a gross amount, in the currency of the payment."""


class Settles(NamedTuple):
    """How settlements are read: each day, or by files that messages name and people can upload.

    `within`: how long after it was paid a payment is in them at the latest.
    """

    by_day: bool
    within: timedelta


_OURS = re.compile(r"(pay|ref|sus)_[0-7][0-9A-HJKMNP-TV-Z]{25}")


def our_id(text: str) -> str:
    """The text if it has the form of an id of ours, else nothing."""
    return text if _OURS.fullmatch(text) else ""


@dataclass(frozen=True, slots=True)
class ReportedLine:
    """A line of a settlement report. Amounts are positive where money comes to us.

    `net` is `gross` less `fee`, where both are in one currency; `fee` and `net` are in `currency`. `id` is unique at
    the account. `reference` is the acquirer's id of what the line is about, `payment_reference` that of the payment it
    belongs to, `object_id` our own id, if the line names it. `payout` is the payout that the line was paid out with.
    """

    id: str
    kind: LineKind
    reference: str
    gross: Decimal
    gross_currency: str
    fee: Decimal
    net: Decimal
    currency: str
    at: datetime
    object_id: str = ""
    payment_reference: str = ""
    method: str = ""
    payout: str = ""
