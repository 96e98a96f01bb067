"""Payments of customers. Customers are a lower layer and know of no payments."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Max, Q, Sum

from accounts.models import Merchant
from gateway.customers.models import Customer
from gateway.payments.models import Payment


@dataclass(slots=True)
class Paid:
    """Number, volume and cost of payments, in minor units of one currency."""

    count: int = 0
    gross: int = 0
    fees: int = 0

    @property
    def net(self) -> int:
        return self.gross - self.fees


@dataclass(slots=True)
class CustomerStanding:
    """A merchant's payments of a customer: counted in any status, and the amounts paid and refunded by currency."""

    payments: int = 0
    last_payment_at: datetime | None = None
    paid: dict[str, Paid] = field(default_factory=dict)
    given_back: dict[str, int] = field(default_factory=dict)


def standings(merchant: Merchant, customers: Sequence[Customer]) -> dict[str, CustomerStanding]:
    """Customer id → their totals. Amounts refunded later count as paid."""
    found = {customer.pk: CustomerStanding() for customer in customers}
    rows = Payment.objects.filter(merchant=merchant, customer__in=found).values_list("customer_id", "currency")
    was_paid = Q(paid_at__isnull=False)
    summed = rows.annotate(
        count=Count("*"),
        last=Max("created_at"),
        paid=Count("paid_at"),
        gross=Sum("amount", filter=was_paid),
        fees=Sum("fee", filter=was_paid),
        given_back=Sum("refunded_amount"),
    )
    for customer, currency, count, last, paid, gross, fees, given_back in summed.order_by("currency"):
        standing = found[customer]
        standing.payments += count
        standing.last_payment_at = max(filter(None, (standing.last_payment_at, last)))
        if paid:
            standing.paid[currency] = Paid(paid, int(gross), int(fees))
        if given_back:
            standing.given_back[currency] = int(given_back)
    return found
