"""Reads of payments. The first argument is always the merchant."""

from datetime import datetime

from django.db.models import QuerySet

from accounts.models import Merchant
from accounts.rows import columns, first, load
from gateway.payments.errors import PaymentUnknown
from gateway.payments.models import Payment

_GET = f"SELECT {columns(Payment)} FROM gateway_payment WHERE id = %s AND merchant_id = %s"


def get(merchant: Merchant, payment_id: str) -> Payment:
    """Refuses with ONP404_PAYMENT, also for a payment of somebody else."""
    row = first(_GET, [payment_id, merchant.pk])
    if row is None:
        raise PaymentUnknown
    payment = load(Payment, row)
    payment.merchant = merchant
    return payment


def listed(
    merchant: Merchant,
    *,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
    **equal_to: str | None,
) -> QuerySet[Payment]:
    """The merchant's payments, newest first. `created_to` is exclusive; the other filters compare whole values."""
    found = Payment.objects.filter(merchant=merchant, **{k: v for k, v in equal_to.items() if v is not None})
    if created_from:
        found = found.filter(created_at__gte=created_from)
    if created_to:
        found = found.filter(created_at__lt=created_to)
    return found.select_related("merchant").order_by("-created_at", "-id")
