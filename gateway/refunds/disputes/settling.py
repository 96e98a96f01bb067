"""What a dispute does to its payment: a request that is held, answered, and ended as the acquirer says."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeGuard

from gateway.payments.models import Payment
from gateway.payments.models import Status as PaymentStatus
from gateway.providers.disputes import DisputeState
from gateway.refunds import notices, opening
from gateway.refunds.clawbacks import fixed, make_room, open_of
from gateway.refunds.disputes import reversals
from gateway.refunds.disputes.errors import DoesNotFit
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.errors import RefundAmountTooSmall
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import DISPUTED, OPEN, Origin, Refund, Status
from gateway.refunds.provider import ACQUIRER_REFUSED, take
from gateway.refunds.reasons import DisputeKind

MARGIN = timedelta(hours=24)
"""Between the company's deadline and the acquirer's: the answer has to arrive there."""
WITHOUT_DEADLINE = timedelta(days=7)
CHARGED_BACK = (ACQUIRER_REFUSED[0], "The card's bank has taken the money back.")


def settle(dispute: Dispute, payment: Payment, now: datetime) -> Refund | None:
    """Brings the request of a dispute to where the dispute stands; returns it. Repeated, it changes nothing.

    Call it with the payment locked. Raises DoesNotFit; then roll back.
    """
    refund = _current(dispute, payment)
    if refund and not dispute.is_inquiry and not refund.is_chargeback and refund.status in OPEN:
        _end_inquiry(refund, now)
        refund = None
    if refund and refund.status in OPEN and (dispute.amount, dispute.currency) != (refund.amount, refund.currency):
        raise DoesNotFit("It is about another amount or currency than when it was opened.")
    return _TO[DisputeState(dispute.state)](dispute, payment, refund, now)


def _current(dispute: Dispute, payment: Payment) -> Refund | None:
    if dispute.refund_id is None:
        return None
    refund = Refund.objects.select_for_update(no_key=True).get(pk=dispute.refund_id)
    refund.payment, refund.merchant = payment, payment.merchant
    return refund


def _end_inquiry(refund: Refund, now: datetime) -> None:
    """The card's bank no longer asks: it takes the money. What the company answered does not count any more."""
    if refund.status in DISPUTED:
        take(refund, RefundAction.WITHDRAW, now)
    elif refund.sent_at:
        raise DoesNotFit("A refund of the same money is on its way.")
    else:
        refund.failure_code, refund.failure_message = CHARGED_BACK
        take(refund, RefundAction.DECLINED, now)


def _open(dispute: Dispute, payment: Payment, refund: Refund | None, now: datetime) -> Refund:
    """Asks the company, unless it has been asked, or it is too late. The acquirer may tell its deadline later."""
    if dispute.due_at and dispute.due_at <= now:
        return _decide(dispute, payment, refund, now)
    if _is_of_this_round(refund, dispute):
        if refund.status == Status.AWAITING_RESPONSE:
            opening.move_deadline(refund, _due(dispute.due_at, refund.created_at), now)
        return refund
    return opening.await_answer(_new(dispute, payment, now), _due(dispute.due_at, now), now)


def _is_of_this_round(refund: Refund | None, dispute: Dispute) -> TypeGuard[Refund]:
    return refund is not None and refund.is_chargeback == (not dispute.is_inquiry)


def _due(acquirers: datetime | None, now: datetime) -> datetime:
    """The company's deadline: a day before the acquirer's, or half of the time if that is shorter."""
    if acquirers is None:
        return now + WITHOUT_DEADLINE
    return acquirers - min(MARGIN, (acquirers - now) / 2)


def _decide(dispute: Dispute, payment: Payment, refund: Refund | None, now: datetime) -> Refund:
    """The card's bank decides, and takes no answer any more."""
    if not _is_of_this_round(refund, dispute):
        refund = opening.await_answer(_new(dispute, payment, now), now, now)
    return take(refund, RefundAction.UNANSWERED, now) if refund.status == Status.AWAITING_RESPONSE else refund


def _lose(dispute: Dispute, payment: Payment, refund: Refund | None, now: datetime) -> Refund:
    """The acquirer has taken the money: nothing is sent, and what the wallet lacks is owed."""
    if refund and refund.status == Status.COMPLETED and refund.is_chargeback:
        if refund.reversed_at:
            reversals.take_again(refund, now)
        return refund
    if refund is None or refund.status not in OPEN:
        refund = opening.begin(_new(dispute, payment, now), RefundAction.FOUND, now, all_of_it=False)
        notices.taken_back(refund)
    return take(refund, RefundAction.TAKEN_BACK, now)


def _win(dispute: Dispute, payment: Payment, refund: Refund | None, now: datetime) -> Refund | None:
    if refund and refund.status in OPEN:
        return take(refund, RefundAction.WON, now)
    if refund and refund.status == Status.COMPLETED and refund.is_chargeback and not refund.reversed_at:
        reversals.reverse(refund, now)
    return refund


def _close(dispute: Dispute, payment: Payment, refund: Refund | None, now: datetime) -> Refund | None:
    """It ended without any money. What the company has agreed to give back itself goes on."""
    if refund and refund.status in DISPUTED:
        return take(refund, RefundAction.WITHDRAW, now)
    return take(refund, RefundAction.WON, now) if refund and refund.is_chargeback and refund.status in OPEN else refund


def _new(dispute: Dispute, payment: Payment, now: datetime) -> Refund:
    """A request of the dispute that is not saved yet. Requests that it makes impossible end."""
    if payment.status != PaymentStatus.PAID or dispute.currency != payment.currency:
        raise DoesNotFit(f"The payment is {payment.status}, in {payment.currency}.")
    left = payment.amount - payment.refunded_amount - sum(one.amount for one in fixed(payment))
    if dispute.amount > left:
        raise DoesNotFit("It is about more than is left of the payment.")
    make_room(payment, dispute.amount, None, left, CHARGED_BACK, now)
    left = payment.amount - payment.refunded_amount - sum(one.amount for one in open_of(payment))
    try:
        refund = opening.new(payment, Origin.PAYER, dispute.amount, left, now)
    except RefundAmountTooSmall as small:
        raise DoesNotFit(small.message) from small
    refund.reason_code, refund.payer_statement = dispute.reason_code, dispute.reason or None
    if not dispute.is_inquiry:
        refund.dispute_kind = DisputeKind.CHARGEBACK
    return refund


Settled = Callable[[Dispute, Payment, Refund | None, datetime], Refund | None]
_TO: dict[DisputeState, Settled] = {
    DisputeState.OPEN: _open,
    DisputeState.DECIDING: _decide,
    DisputeState.WON: _win,
    DisputeState.LOST: _lose,
    DisputeState.CLOSED: _close,
}
