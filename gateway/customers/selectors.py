"""Reads of customers. The first argument is always the merchant."""

from datetime import datetime

from django.db.models import QuerySet

from accounts.listing import newest
from accounts.models import Merchant
from gateway.customers.models import Customer


def listed(
    merchant: Merchant,
    *,
    tax_id: str | None = None,
    email: str | None = None,
    name: str | None = None,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
) -> QuerySet[Customer]:
    """The merchant's customers, newest first. `name` is a part of it in any case; `created_to` is exclusive."""
    found = Customer.objects.filter(merchant=merchant)
    if tax_id:
        found = found.filter(tax_id=tax_id)
    if email:
        found = found.filter(email=email)
    if name:
        found = found.filter(name__icontains=name)
    return newest(found, created_from, created_to)
