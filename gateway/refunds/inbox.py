"""The merchant's refunds as a work queue: who must act, and what each outcome would do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Prefetch, Q, QuerySet, TextChoices

from accounts.base import clock
from accounts.base.listing import newest
from accounts.models import Merchant
from gateway.methods.registry import CARDS
from gateway.refunds.models import OPEN, Evidence, Origin, Refund, Response, Status
from gateway.refunds.reasons import DisputeKind
from ledger.receivables import selectors as receivables
from ledger.wallets.changes import Change, changes

COUNTED_TO = 1000
"""Counts of finished refunds are capped at this number."""


class Tab(TextChoices):
    """Who must act next."""

    WAITING = "waiting"
    REVIEW = "review"
    PROCESSING = "processing"
    DONE = "done"


STATUSES: dict[str, tuple[Status, ...]] = {
    Tab.WAITING: (Status.AWAITING_RESPONSE,),
    Tab.REVIEW: (Status.UNDER_REVIEW,),
    Tab.PROCESSING: (Status.PROCESSING,),
    Tab.DONE: tuple(status for status in Status if status not in OPEN),
}


class RefundKind(TextChoices):
    """Who requested the refund, and through which channel."""

    COMPANY = "company"
    MED = "med"  # a claim of PIX MED
    DISPUTE = "dispute"  # of a card
    CLAIM = "claim"  # through a bank or wallet


def kind_of(refund: Refund) -> RefundKind:
    if refund.origin == Origin.MERCHANT:
        return RefundKind.COMPANY
    if refund.is_med:
        return RefundKind.MED
    return RefundKind.DISPUTE if refund.is_chargeback or refund.payment.method in CARDS else RefundKind.CLAIM


OF_PAYERS = "payers"
"""All kinds but the company's own."""
_DISPUTED = Q(origin=Origin.PAYER, payment__method__in=CARDS) | Q(dispute_kind=DisputeKind.CHARGEBACK)
_IS_KIND: dict[str, Q] = {
    RefundKind.COMPANY: Q(origin=Origin.MERCHANT),
    RefundKind.MED: Q(dispute_kind=DisputeKind.MED),
    RefundKind.DISPUTE: _DISPUTED,
    RefundKind.CLAIM: Q(origin=Origin.PAYER, dispute_kind=None) & ~_DISPUTED,
    OF_PAYERS: Q(origin=Origin.PAYER),
}


def listed(
    merchant: Merchant,
    tab: str | None = None,
    *,
    kind: str | None = None,
    reason_code: str | None = None,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
    completed_from: datetime | None = None,
    completed_to: datetime | None = None,
    currency: str | None = None,
) -> QuerySet[Refund]:
    """The merchant's refunds with their payments: those awaiting an answer by deadline, the rest newest first.

    The ends of periods are exclusive.
    """
    found = Refund.objects.filter(merchant=merchant).select_related("payment")
    if tab:
        found = found.filter(status__in=STATUSES[tab])
    if kind:
        found = found.filter(_IS_KIND[kind])
    equal_to = {
        "reason_code": reason_code,
        "currency": currency,
        "completed_at__gte": completed_from,
        "completed_at__lt": completed_to,
    }
    found = found.filter(**{lookup: value for lookup, value in equal_to.items() if value})
    found = newest(found, created_from, created_to)
    return found.order_by("response_due_at", "id") if tab == Tab.WAITING else found


def counts(merchant: Merchant) -> dict[str, int]:
    """Counts by tab; finished ones up to COUNTED_TO + 1."""
    mine = Refund.objects.filter(merchant=merchant)
    by_status = dict(mine.filter(status__in=OPEN).values_list("status").annotate(Count("pk")).order_by())
    found = {str(tab): sum(by_status.get(status, 0) for status in statuses) for tab, statuses in STATUSES.items()}
    done = mine.filter(status__in=STATUSES[Tab.DONE]).order_by()
    return found | {Tab.DONE: done.values("pk")[: COUNTED_TO + 1].count()}


def answers(refund: Refund) -> QuerySet[Response]:
    """The company's answers, oldest first, with evidence but without file contents."""
    evidence = Prefetch("evidence", Evidence.objects.defer("content").order_by("id"))
    return refund.responses.select_related("person").prefetch_related(evidence).order_by("created_at", "id")


class RefundEffect(NamedTuple):
    """How the three buckets would change from now. Minor units of the wallet's currency."""

    available: int = 0
    releasing: int = 0
    blocked: int = 0


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The effect on the wallet of either outcome: the company keeps the money, or the payer gets it.

    `missing` is not held yet: it is taken from later incoming money.
    """

    kept: RefundEffect
    given: RefundEffect
    missing: int


def outcomes(refund: Refund) -> Outcomes:
    """The outcomes of an open refund. Money from receivables returns there if they still have a release date."""
    taken, now = refund.from_releasing, clock.now(refund.merchant)
    releasing = receivables.would_wait(refund.merchant, refund.pk, refund.payment_id, taken, now) if taken else 0
    available = refund.from_available + taken - releasing
    return Outcomes(
        kept=RefundEffect(available=available, releasing=releasing, blocked=-refund.blocked),
        given=RefundEffect(blocked=-refund.blocked),
        missing=refund.shortfall,
    )


def posted(refund: Refund) -> list[Change]:
    """The refund's postings to the wallet so far, oldest first."""
    fills = [f"{refund.pk}:{n + 1}" for n in range(refund.fills)]
    return changes(refund.merchant, [refund.pk, *fills])


def can_accept(refund: Refund) -> bool:
    """Whether the company can still accept."""
    return refund.status == Status.UNDER_REVIEW or can_contest(refund)


def can_contest(refund: Refund) -> bool:
    """Whether the company can still contest: once, and in time."""
    if refund.status != Status.AWAITING_RESPONSE or refund.response_due_at is None:
        return False
    return clock.now(refund.merchant) <= refund.response_due_at


class Ending(TextChoices):
    """How a refund ended, from the company's point of view."""

    GIVEN = "given"  # the company refunded it
    AGREED = "agreed"  # the company accepted the payer's request
    SILENT = "silent"  # nobody answered in time
    LOST = "lost"
    RECOVERED = "recovered"  # a MED claim, in full or in part
    WON = "won"
    WITHDRAWN = "withdrawn"  # the payer withdrew the request
    FAILED = "failed"  # it could not be returned


_ENDED = {Status.REJECTED: Ending.WON, Status.CANCELED: Ending.WITHDRAWN, Status.FAILED: Ending.FAILED}


def ending_of(refund: Refund, responses: Sequence[Response]) -> Ending | None:
    """None while it is open. `responses` are the company's answers, oldest first."""
    if refund.status in OPEN:
        return None
    if refund.status != Status.COMPLETED:
        return _ENDED[Status(refund.status)]
    if refund.origin == Origin.MERCHANT:
        return Ending.GIVEN
    if refund.is_med:
        return Ending.RECOVERED
    last = responses[-1] if responses else None
    if last is None or last.answer == Response.Answer.CONTEST:
        return Ending.LOST
    return Ending.SILENT if last.answered_by == Response.AnsweredBy.SYSTEM else Ending.AGREED
