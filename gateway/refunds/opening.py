"""Opening refunds: what is left of the payment, and the money that is held first."""

from datetime import datetime, timedelta

from django.db.models import Sum

from accounts.base.ids import new_id
from gateway.payments.errors import PaymentState
from gateway.payments.models import Payment
from gateway.payments.models import Status as PaymentStatus
from gateway.refunds import notices, payloads
from gateway.refunds.deadlines import evidence_announced_at, evidence_missed_at
from gateway.refunds.errors import (
    ReceivableReserved,
    RefundAmountExceeded,
    RefundAmountTooSmall,
    RefundInDispute,
)
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import DISPUTED, OPEN, Origin, Refund
from gateway.refunds.provider import take
from gateway.refunds.shortfalls import collect, keep_hold
from gateway.refunds.standing import in_wallet
from ledger.receivables import services as receivables
from ledger.receivables.models import State
from webhooks.outbox import emit

REMINDED_BEFORE = timedelta(hours=24)
EVIDENCE_TIMES = ("evidence_due_at", "evidence_alarm_at", "evidence_late_at")


def requested(payment: Payment, amount: int | None, now: datetime) -> Refund:
    """A payer's request for a refund of a locked payment, not saved yet; None: all that is left.

    Raises ONP409_PAYMENT_STATE, ONP409_REFUND_IN_DISPUTE, ONP422_REFUND_AMOUNT_EXCEEDED and
    ONP422_REFUND_AMOUNT_TOO_SMALL.
    """
    if payment.status != PaymentStatus.PAID:
        raise PaymentState(paymentId=payment.id, paymentStatus=payment.status)
    if Refund.objects.filter(payment=payment, status__in=DISPUTED).exists():
        raise RefundInDispute
    left = _left(payment)
    if (amount is not None and amount > left) or not left:
        raise RefundAmountExceeded(field="amount")
    return new(payment, Origin.PAYER, amount or left, left, now)


def _left(payment: Payment) -> int:
    """The amount that is neither refunded nor being refunded."""
    on_their_way = Refund.objects.filter(payment=payment, status__in=OPEN)
    open_sum = on_their_way.aggregate(sum=Sum("amount"))["sum"] or 0
    return payment.amount - payment.refunded_amount - int(open_sum)


def new(payment: Payment, origin: str, amount: int, left: int, now: datetime) -> Refund:
    """A refund that is not saved yet, with `left` remaining of its payment. Raises ONP422_REFUND_AMOUNT_TOO_SMALL."""
    currency, wallet_amount = in_wallet(payment, left, amount)
    if not wallet_amount:
        raise RefundAmountTooSmall(field="amount")
    refund = Refund(
        id=new_id("ref"),
        merchant=payment.merchant,
        origin=origin,
        is_full=amount == left,
        status="",
        amount=amount,
        currency=payment.currency,
        wallet_currency=currency,
        wallet_amount=wallet_amount,
        account=payment.account,
        created_at=now,
        updated_at=now,
    )
    refund.payment = payment
    return refund


def begin(refund: Refund, asked: RefundAction, now: datetime, *, all_of_it: bool) -> Refund:
    """Holds the money: all or nothing for a company's refund, what is there for a payer's.

    Raises ONP409_RECEIVABLE_RESERVED and ONP422_INSUFFICIENT_BALANCE for a company's refund.
    """
    receivable = receivables.held_of_payment(refund.payment_id)
    if receivable is not None:
        if receivable.state == State.RESERVED_FOR_ADVANCE and all_of_it:
            raise ReceivableReserved
        refund.from_releasing = receivables.take(receivable, refund.wallet_amount, now)
    if all_of_it:
        refund.from_available = refund.shortfall
    else:
        collect(refund, now)
    return take(refund, asked, now)


def await_answer(refund: Refund, due: datetime, now: datetime) -> Refund:
    """Holds the money that is there, and asks the company for an answer."""
    _set_deadline(refund, due, now)
    opened = begin(refund, RefundAction.DISPUTE, now, all_of_it=False)
    notices.opened(opened)
    return opened


def move_deadline(refund: Refund, due: datetime, now: datetime) -> None:
    """Gives the company until `due` for its answer. The same again changes nothing."""
    if due == refund.response_due_at:
        return
    _set_deadline(refund, due, now)
    refund.updated_at = now
    refund.save(update_fields=["response_due_at", "remind_at", *EVIDENCE_TIMES, "updated_at"])
    keep_hold(refund, now)
    emit(refund.merchant, "refund.updated", refund.id, payloads.refund(refund), now)


def _set_deadline(refund: Refund, due: datetime, now: datetime) -> None:
    refund.response_due_at = due
    refund.remind_at = due - REMINDED_BEFORE if due - REMINDED_BEFORE > now else None
    refund.evidence_due_at = evidence_announced_at(refund)
    refund.evidence_alarm_at, refund.evidence_late_at = evidence_missed_at(refund), None
