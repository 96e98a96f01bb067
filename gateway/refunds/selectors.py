"""Reads of refunds. The first argument is always the merchant."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count, F, QuerySet

from accounts.base.ids import is_well_formed
from accounts.base.listing import newest
from accounts.models import Merchant
from gateway.providers.models import ProviderAccount
from gateway.providers.needs import needed_for
from gateway.refunds.errors import RefundUnknown
from gateway.refunds.models import OPEN, OWED, Refund, Status


def get(merchant: Merchant, refund_id: str) -> Refund:
    """Raises ONP404_REFUND, also for another merchant's refund."""
    rows = Refund.objects.filter(merchant=merchant, pk=refund_id).select_related("payment")
    found = rows.first() if is_well_formed(refund_id) else None
    if found is None:
        raise RefundUnknown
    return found


def of_payment(merchant: Merchant, payment_id: str) -> QuerySet[Refund]:
    """The refunds of a payment, newest first."""
    return newest(Refund.objects.filter(merchant=merchant, payment_id=payment_id))


def listed(
    merchant: Merchant,
    *,
    statuses: Sequence[str] = (),
    due_from: datetime | None = None,
    due_to: datetime | None = None,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
    customer_id: str | None = None,
    **equal_to: str | bool | None,
) -> QuerySet[Refund]:
    """The merchant's refunds with payments and customers, newest first; the ends of periods are exclusive.

    `due_…` is the deadline of a payer's request: if only requests awaiting an answer are selected, the soonest comes
    first. The other filters compare whole values: `origin`, `is_full`, `currency`, `payment_id`.
    """
    lookups = {
        "status__in": statuses,
        "response_due_at__gte": due_from,
        "response_due_at__lt": due_to,
        "payment__customer": customer_id,
        **equal_to,
    }
    wanted = {lookup: value for lookup, value in lookups.items() if value not in (None, (), [])}
    found = newest(_with_payments(merchant).filter(**wanted), created_from, created_to)
    return found.order_by("response_due_at", "id") if tuple(statuses) == (Status.AWAITING_RESPONSE,) else found


def short_of_money(merchant: Merchant) -> QuerySet[Refund]:
    """Refunds that the wallet could not cover yet, newest first; with payment and customer."""
    covered = F("from_releasing") + F("from_available")
    return newest(_with_payments(merchant).filter(status__in=OWED, wallet_amount__gt=covered))


def counts(merchant: Merchant) -> dict[str, int]:
    """The number of refunds per status."""
    counted = Refund.objects.filter(merchant=merchant).values_list("status").annotate(count=Count("*")).order_by()
    return dict.fromkeys(map(str, Status), 0) | dict(counted)


def _with_payments(merchant: Merchant) -> QuerySet[Refund]:
    return Refund.objects.filter(merchant=merchant).select_related("payment__customer")


@needed_for("open refunds")
def _under_way(account: ProviderAccount) -> int:
    return Refund.objects.filter(account=account, status__in=OPEN).count()
