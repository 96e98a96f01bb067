"""What a forecast leaves out, because somebody still decides: disputes, withdrawals, holds and advances."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import F, Q, QuerySet, Sum

from accounts.models import Merchant
from gateway.refunds.models import DISPUTED, Refund, Status
from gateway.withdrawals.models import ApprovalState, Withdrawal
from gateway.withdrawals.models import Status as Paying
from ledger.holds import selectors as holds
from ledger.holds.models import BY_STAFF
from ledger.receivables.models import Advance

SHOWN = 20
"""The limit of each kind."""


class Outcome(StrEnum):
    """What is still to be decided."""

    DISPUTE = "DISPUTE"
    REVIEW = "REVIEW"
    APPROVAL = "APPROVAL"
    WITHDRAWAL = "WITHDRAWAL"
    HOLD = "HOLD"
    ADVANCE = "ADVANCE"


@dataclass(frozen=True, slots=True)
class Uncertain:
    """`amount` minor units are held now, and become available if it ends well; `missing` more may have to be covered.

    `until`: the deadline, or when it is expected to end; None: unknown.
    """

    outcome: Outcome
    object_id: str
    name: str
    amount: int
    until: datetime | None
    missing: int = 0


def uncertain(merchant: Merchant, currency: str) -> list[Uncertain]:
    """Those with a deadline first, the soonest before the others."""
    found = [
        *_disputes(merchant, currency),
        *_withdrawals(merchant, currency),
        *_holds(merchant, currency),
        *_advances(merchant, currency),
    ]
    return sorted(found, key=lambda one: (one.until is None, one.until, one.object_id))


def at_stake(merchant: Merchant, currency: str) -> int:
    """What is held for disputes that are open, in minor units."""
    summed = _open_disputes(merchant, currency).aggregate(sum=Sum(F("from_releasing") + F("from_available")))
    return int(summed["sum"] or 0)


def _open_disputes(merchant: Merchant, currency: str) -> QuerySet[Refund]:
    return Refund.objects.filter(merchant=merchant, wallet_currency=currency, status__in=DISPUTED)


def _disputes(merchant: Merchant, currency: str) -> list[Uncertain]:
    rows = _open_disputes(merchant, currency).select_related("payment").order_by("response_due_at", "id")[:SHOWN]
    return [
        Uncertain(Outcome.DISPUTE, one.pk, one.payment.reference, one.blocked, one.response_due_at, one.owed)
        if one.status == Status.AWAITING_RESPONSE
        else Uncertain(Outcome.REVIEW, one.pk, one.payment.reference, one.blocked, one.analysis_due_at, one.owed)
        for one in rows
    ]


def _withdrawals(merchant: Merchant, currency: str) -> list[Uncertain]:
    rows = Withdrawal.objects.filter(merchant=merchant, currency=currency, status=Paying.PROCESSING)
    return [
        Uncertain(Outcome.APPROVAL, one.pk, one.reference, one.total, one.approval_expires_at)
        if one.approval == ApprovalState.PENDING
        else Uncertain(Outcome.WITHDRAWAL, one.pk, one.reference, one.total, None)
        for one in rows.order_by("-created_at", "-id")[:SHOWN]
    ]


def _holds(merchant: Merchant, currency: str) -> list[Uncertain]:
    rows = holds.blocked(merchant, currency=currency).filter(Q(reason__in=BY_STAFF))
    return [
        Uncertain(Outcome.HOLD, one.pk, str(one.reason), one.amount, one.expected_release_at) for one in rows[:SHOWN]
    ]


def _advances(merchant: Merchant, currency: str) -> list[Uncertain]:
    rows = Advance.objects.filter(merchant=merchant, currency=currency, state=Advance.State.UNDER_REVIEW)
    return [Uncertain(Outcome.ADVANCE, one.pk, "", one.net, None) for one in rows.order_by("id")[:SHOWN]]
