"""Reads of payments. The first argument is always the merchant."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from accounts.base.ids import is_well_formed
from accounts.base.listing import newest
from accounts.base.rows import Statement, columns, first, load, table
from accounts.environments import require_served
from accounts.models import Merchant
from gateway.payments.errors import PaymentUnknown
from gateway.payments.models import UNDECIDED, Payment
from gateway.providers.models import ProviderAccount
from gateway.providers.needs import needed_for

_GET = f"SELECT {columns(Payment)} FROM {table(Payment)} WHERE id = %s"


def get(merchant: Merchant, payment_id: str) -> Payment:
    """Raises ONP404_PAYMENT, also for another merchant's payment."""
    return owned(merchant, first(*row_of(payment_id)) if is_well_formed(payment_id) else None)


def row_of(payment_id: str) -> Statement:
    """Asks for the row that `owned` takes."""
    return _GET, [payment_id]


def named_by_link(payment_id: str) -> Payment:
    """The payment of a signed link, with its merchant and company.

    Raises ONP404_PAYMENT and ONP403_ENVIRONMENT_NOT_SERVED.
    """
    found = Payment.objects.select_related("merchant__company").filter(pk=payment_id)
    payment = found.first() if is_well_formed(payment_id) else None
    if payment is None:
        raise PaymentUnknown
    require_served(payment.merchant)
    return payment


def owned(merchant: Merchant, row: tuple[Any, ...] | None) -> Payment:
    """The payment in the row, if it is the merchant's.

    The owner is compared here and not in SQL: the query plan is always a lookup by primary key.
    """
    payment = load(Payment, row) if row else None
    if payment is None or payment.merchant_id != merchant.pk:
        raise PaymentUnknown
    payment.merchant = merchant
    return payment


def listed(
    merchant: Merchant,
    *,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
    paid_from: datetime | None = None,
    paid_to: datetime | None = None,
    **equal_to: str | None,
) -> QuerySet[Payment]:
    """The merchant's payments, newest first. The ends of periods are exclusive; the other filters compare whole
    values.
    """
    exactly = equal_to | {"paid_at__gte": paid_from, "paid_at__lt": paid_to}
    found = merchant.payments.filter(**{k: v for k, v in exactly.items() if v is not None})
    return newest(found, created_from, created_to)


@needed_for("open payments")
def _under_way(account: ProviderAccount) -> int:
    return Payment.objects.filter(account=account, status__in=UNDECIDED).count()
