"""Payments and withdrawals with a receipt, and refunds."""

from dataclasses import dataclass
from datetime import datetime

from accounts.base.ids import is_well_formed
from accounts.environments import require_served
from accounts.models import Merchant
from gateway.payments import selectors as payments
from gateway.payments.models import Payment, Status
from gateway.receipts import verification
from gateway.receipts.errors import ReceiptUnavailable
from gateway.refunds.models import Refund
from gateway.withdrawals import selectors as withdrawals
from gateway.withdrawals.models import Status as WithdrawalStatus
from gateway.withdrawals.models import Withdrawal

WITH_RECEIPT = (Status.PAID, Status.REFUNDED)
ARRIVED = (WithdrawalStatus.COMPLETED, WithdrawalStatus.RETURNED)
"""Withdrawals with a receipt."""


@dataclass(frozen=True, slots=True)
class CompletedRefund:
    """A completed refund, in minor units of the payment's currency."""

    id: str
    amount: int
    completed_at: datetime


def get(merchant: Merchant, payment_id: str) -> Payment:
    """The merchant's payment that has a receipt. Raises ONP404_PAYMENT and ONP409_RECEIPT_UNAVAILABLE."""
    payment = payments.get(merchant, payment_id)
    if payment.status not in WITH_RECEIPT:
        raise ReceiptUnavailable
    return payment


def arrived(merchant: Merchant, withdrawal_id: str) -> Withdrawal:
    """The merchant's withdrawal that has a receipt. Raises ONP404_WITHDRAWAL and ONP409_RECEIPT_UNAVAILABLE."""
    withdrawal = withdrawals.get(merchant, withdrawal_id)
    if withdrawal.status not in ARRIVED:
        raise ReceiptUnavailable
    return withdrawal


def verified(receipt_id: str, code: str) -> Payment | Withdrawal | None:
    """The payment or withdrawal, with merchant and company, whose receipt has this id and code; else None.

    The code is checked first: without a valid one nothing is disclosed, not even by response times. Raises
    ONP403_ENVIRONMENT_NOT_SERVED.
    """
    object_id = verification.object_id(receipt_id)
    if object_id is None or not is_well_formed(object_id) or not verification.is_right(code, object_id):
        return None
    found: Payment | Withdrawal | None
    if object_id.startswith("wdr_"):
        arrived = Withdrawal.objects.select_related("merchant__company").filter(status__in=ARRIVED)
        found = arrived.filter(pk=object_id).first()
    else:
        paid = Payment.objects.select_related("merchant__company").filter(status__in=WITH_RECEIPT)
        found = paid.filter(pk=object_id).first()
    if found is not None:
        require_served(found.merchant)
    return found


def refunds_of(payment: Payment) -> list[CompletedRefund]:
    """The completed refunds, oldest first."""
    done = Refund.objects.filter(payment=payment, completed_at__isnull=False).order_by("completed_at", "id")
    return [CompletedRefund(one.id, one.amount, one.completed_at) for one in done if one.completed_at]
