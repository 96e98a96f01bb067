"""Reads of refunds. The first argument is always the merchant."""

from django.db.models import QuerySet

from accounts.ids import is_well_formed
from accounts.models import Merchant
from gateway.refunds.errors import RefundUnknown
from gateway.refunds.models import Refund


def get(merchant: Merchant, refund_id: str) -> Refund:
    """Refuses with ONP404_REFUND, also for a refund of somebody else."""
    rows = Refund.objects.filter(merchant=merchant, pk=refund_id).select_related("payment")
    found = rows.first() if is_well_formed(refund_id) else None
    if found is None:
        raise RefundUnknown
    return found


def of_payment(merchant: Merchant, payment_id: str) -> QuerySet[Refund]:
    """The refunds of a payment, newest first."""
    return Refund.objects.filter(merchant=merchant, payment_id=payment_id).order_by("-created_at", "-id")
