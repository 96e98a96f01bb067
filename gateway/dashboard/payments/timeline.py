"""The timeline of a payment, oldest first: from records, and from events as long as they are kept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gateway.dashboard.payments.words import HAPPENED
from gateway.dashboard.words import QUIET
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from ledger.receivables.models import OPEN as NOT_YET
from ledger.receivables.models import Receivable
from ledger.receivables.models import State as Waiting
from webhooks.models import Event

_ENDED = {
    Status.FAILED: "payment.failed",
    Status.EXPIRED: "payment.expired",
    Status.REFUNDED: "payment.refunded",
}
_REFUND_ENDED = {
    RefundStatus.COMPLETED: "refund.completed",
    RefundStatus.FAILED: "refund.failed",
    RefundStatus.REJECTED: "refund.rejected",
    RefundStatus.CANCELED: "refund.canceled",
}


@dataclass(frozen=True, slots=True)
class PaymentTimelineEntry:
    """An entry with its time. `event` is the event type; `is_ahead`: it is in the future."""

    at: datetime
    kind: str
    refund: Refund | None = None
    event: Event | None = None
    is_ahead: bool = False

    @property
    def title(self) -> Any:
        return HAPPENED.get(self.kind, (self.kind, QUIET))[0]

    @property
    def color(self) -> str:
        return HAPPENED.get(self.kind, (self.kind, QUIET))[1]


def timeline(
    payment: Payment, refunds: Sequence[Refund], receivable: Receivable | None, events: Iterable[Event]
) -> list[PaymentTimelineEntry]:
    """All entries, oldest first; scheduled ones last."""
    by_id = {refund.pk: refund for refund in refunds}
    sent = [PaymentTimelineEntry(one.occurred_at, one.type, by_id.get(one.object_id), one) for one in events]
    announced = {(one.kind, one.refund.pk if one.refund else None) for one in sent}
    known = [
        one
        for one in [*_of_payment(payment), *_of_refunds(refunds)]
        if (one.kind, one.refund.pk if one.refund else None) not in announced
    ]
    found = [*known, *sent, *_of_money(receivable), *_ahead(payment)]
    return sorted(found, key=lambda one: (one.is_ahead, one.at))


def _of_payment(payment: Payment) -> Iterable[PaymentTimelineEntry]:
    yield PaymentTimelineEntry(payment.created_at, "payment.created")
    if payment.paid_at:
        yield PaymentTimelineEntry(payment.paid_at, "payment.paid")
    if kind := _ENDED.get(Status(payment.status)):
        yield PaymentTimelineEntry(payment.updated_at, kind)


def _of_refunds(refunds: Iterable[Refund]) -> Iterable[PaymentTimelineEntry]:
    for refund in refunds:
        yield PaymentTimelineEntry(refund.created_at, "refund.created", refund)
        if kind := _REFUND_ENDED.get(RefundStatus(refund.status)):
            yield PaymentTimelineEntry(refund.completed_at or refund.updated_at, kind, refund)


def _of_money(receivable: Receivable | None) -> Iterable[PaymentTimelineEntry]:
    if receivable is None:
        return
    if receivable.state in NOT_YET:
        yield PaymentTimelineEntry(receivable.release_at, "releases", is_ahead=True)
    elif receivable.state in (Waiting.RELEASED, Waiting.ADVANCED):
        yield PaymentTimelineEntry(receivable.updated_at, receivable.state)


def _ahead(payment: Payment) -> Iterable[PaymentTimelineEntry]:
    if payment.status in UNDECIDED and payment.expires_at:
        yield PaymentTimelineEntry(payment.expires_at, "expires", is_ahead=True)
