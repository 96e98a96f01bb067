"""What a line is about: a payment, refund or dispute of ours, or nothing that we know."""

from collections.abc import Callable
from typing import NamedTuple

from django.db.models import Q, Sum

from accounts.models import Merchant
from gateway.methods.registry import Method
from gateway.payments.models import Payment
from gateway.payments.models import Status as PaymentStatus
from gateway.providers.settlements import LineKind
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from gateway.settlements.models import BOOKED, Cause, SettlementLine
from gateway.settlements.records import Records
from gateway.suspense.models import State as SuspenseState
from gateway.suspense.models import SuspenseItem

State = SettlementLine.State
PAID = (PaymentStatus.PAID, PaymentStatus.REFUNDED)


class Verdict(NamedTuple):
    """What the line is; `cause` if it is DIFFERENT, `method` if that is not the payment's.

    `waits`: what is under way here may still explain it.
    """

    state: SettlementLine.State
    cause: Cause | None = None
    payment: Payment | None = None
    object_id: str = ""
    merchant: Merchant | None = None
    method: str = ""
    waits: bool = False


def verdict(line: SettlementLine, records: Records) -> Verdict:
    """Says what the line is about, by records of it, and changes nothing."""
    found = _OF_KIND.get(line.kind, _unexplained)(line, records)
    if found.state in BOOKED and line.gross_currency != line.currency and not _is_exchanged(line):
        return _different(found, Cause.OTHER_CURRENCY)
    return found


def _is_exchanged(line: SettlementLine) -> bool:
    """Whether the acquirer owes, or takes, an amount of its own currency for that of the payment."""
    return line.gross * line.received > 0


def _payment(line: SettlementLine, records: Records) -> Verdict:
    payment = records.payment_of(line)
    if item := records.held_for(line):
        about = Verdict(State.HELD, None, payment, item.pk, item.merchant, item.method)
        return _of_amount(line, about, item.amount, item.currency)
    if payment is None:
        return _for_nobody(line)
    about = Verdict(State.MATCHED, payment=payment, object_id=payment.pk, merchant=payment.merchant)
    if payment.status in PAID and payment.account_id == line.account_id:
        return _of_amount(line, about, payment.amount, payment.currency)
    return _different(about, Cause.PAID_THERE, waits=payment.status not in PAID)


def _for_nobody(line: SettlementLine) -> Verdict:
    """What arrives at a company's own account without naming a payment is the company's own business."""
    if line.account.merchant_id is not None and not line.object_id:
        return Verdict(State.NOT_OURS)
    is_money = line.gross > 0 and line.reference
    if not is_money:
        return Verdict(State.DIFFERENT, Cause.UNKNOWN)
    return Verdict(State.HELD, method=line.method or Method.CREDIT_CARD)


def _refund(line: SettlementLine, records: Records) -> Verdict:
    refund = records.refund_of(line)
    if refund is None:
        return _returned_from_suspense(line, records)
    about = _about(refund)
    if refund.status == RefundStatus.COMPLETED or _came_back(line, refund):
        return _of_amount(line, about, -refund.amount, refund.currency)
    return _different(about, Cause.REFUNDED_THERE, waits=True)


def _refund_failed(line: SettlementLine, records: Records) -> Verdict:
    refund = records.refund_of(line)
    if refund is None:
        return _different(_near(line, records), Cause.FAILED_THERE)
    if refund.status == RefundStatus.FAILED:
        return _of_amount(line, _about(refund), refund.amount, refund.currency)
    return _different(_about(refund), Cause.FAILED_THERE, waits=True)


def _dispute(line: SettlementLine, records: Records) -> Verdict:
    """A dispute that was won came back with the same amount."""
    disputes = Dispute.objects.select_related("payment__merchant").filter(account=line.account_id)
    dispute = disputes.filter(reference=line.reference).first()
    if dispute is None or dispute.payment is None:
        return _different(_near(line, records), Cause.DISPUTED_THERE, waits=True)
    payment, object_id = dispute.payment, dispute.refund_id or dispute.pk
    about = Verdict(State.MATCHED, payment=payment, object_id=object_id, merchant=payment.merchant)
    taken = -dispute.amount if line.kind == LineKind.DISPUTE else dispute.amount
    return _of_amount(line, about, taken, dispute.currency)


def _fee(line: SettlementLine, records: Records) -> Verdict:
    """A fee without a payment is the platform's, or that of the company whose account it is."""
    payment = records.payment_of(line)
    if payment and payment.account_id == line.account_id:
        return Verdict(State.MATCHED, payment=payment, object_id=payment.pk, merchant=payment.merchant)
    return Verdict(State.MATCHED, merchant=line.account.merchant)


def _payout(line: SettlementLine, _records: Records) -> Verdict:
    paid = SettlementLine.objects.filter(account=line.account_id, payout=line.payout, currency=line.currency)
    total = paid.exclude(kind=LineKind.PAYOUT).aggregate(total=Sum("net"))["total"]
    if line.payout and total == -line.net:
        return Verdict(State.MATCHED)
    return Verdict(State.DIFFERENT, Cause.PAYOUT, waits=True)


def _unexplained(line: SettlementLine, records: Records) -> Verdict:
    return _different(_near(line, records), Cause.UNEXPLAINED)


def _returned_from_suspense(line: SettlementLine, records: Records) -> Verdict:
    items = SuspenseItem.objects.filter(account=line.account_id)
    known = Q(return_id=line.object_id) if line.object_id else Q(return_reference=line.reference)
    item = items.filter(known).first() if line.object_id or line.reference else None
    if item is None:
        return _different(_near(line, records), Cause.REFUNDED_THERE)
    about = Verdict(State.MATCHED, None, item.payment, item.pk, item.merchant, item.method)
    if item.state != SuspenseState.RETURNED:
        return _different(about, Cause.REFUNDED_THERE, waits=True)
    return _of_amount(line, about, -item.amount, item.currency)


def _came_back(line: SettlementLine, refund: Refund) -> bool:
    """Whether it failed here as it did there: both lines together are nothing."""
    if refund.status != RefundStatus.FAILED:
        return False
    back = SettlementLine.objects.filter(account=line.account_id, kind=LineKind.REFUND_FAILED)
    return back.filter(Q(object_id=refund.pk) | Q(reference=line.reference)).exists()


def _about(refund: Refund) -> Verdict:
    return Verdict(State.MATCHED, payment=refund.payment, object_id=refund.pk, merchant=refund.payment.merchant)


def _near(line: SettlementLine, records: Records) -> Verdict:
    """The payment that a line belongs to whose own object nobody knows."""
    payment = records.payment_of(line)
    merchant = payment.merchant if payment else None
    return Verdict(State.MATCHED, payment=payment, object_id=line.object_id, merchant=merchant)


def _of_amount(line: SettlementLine, about: Verdict, amount: int, currency: str) -> Verdict:
    is_same = (line.gross, line.gross_currency) == (amount, currency)
    return about if is_same else _different(about, Cause.OTHER_AMOUNT)


def _different(about: Verdict, cause: Cause, *, waits: bool = False) -> Verdict:
    return about._replace(state=State.DIFFERENT, cause=cause, waits=waits)


_OF_KIND: dict[str, Callable[[SettlementLine, Records], Verdict]] = {
    LineKind.PAYMENT: _payment,
    LineKind.REFUND: _refund,
    LineKind.REFUND_FAILED: _refund_failed,
    LineKind.DISPUTE: _dispute,
    LineKind.DISPUTE_WON: _dispute,
    LineKind.FEE: _fee,
    LineKind.PAYOUT: _payout,
}
