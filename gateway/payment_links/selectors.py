"""Reads of payment links, with how often each was paid and the status that follows from it."""

from datetime import datetime

from django.db.models import Case, CharField, Count, F, Func, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.base.ids import is_well_formed
from accounts.base.listing import narrowed
from accounts.environments import require_served
from accounts.models import Merchant
from gateway.payment_links.errors import PaymentLinkUnknown
from gateway.payment_links.models import PaymentLink, State
from gateway.payments.models import OPEN, Payment, Status

EXPIRED, USED_UP = "EXPIRED", "USED_UP"
"""Statuses that nobody decided."""
FREE = (Status.FAILED, Status.EXPIRED)
"""Payments that take no use of their link."""


def links() -> QuerySet[PaymentLink]:
    """All links, each with `taken` (payments that take a use), `paid` (those that were paid) and its `status`."""
    return (
        PaymentLink.objects.select_related("merchant")
        .prefetch_related("merchant__company")  # with it in this statement, a node of Citus could not count
        .annotate(taken=_counted(~Q(status__in=FREE)), paid=_counted(Q(paid_at__isnull=False)))
        .annotate(status=_status())
    )


def _counted(which: Q) -> Coalesce:
    of_link = Payment.objects.filter(which, payment_link_id=OuterRef("pk")).order_by().values("payment_link_id")
    return Coalesce(Subquery(of_link.annotate(n=Count("*")).values("n")), Value(0))


def _status() -> Case:
    now = Func(Value(utcnow()), F("merchant__clock_offset"), template="(%(expressions)s)", arg_joiner=" + ")
    return Case(
        When(state=State.ENDED, then=Value(State.ENDED.value)),
        When(max_uses__isnull=False, paid__gte=F("max_uses"), then=Value(USED_UP)),
        When(Q(expires_at__isnull=False) & Q(expires_at__lte=now), then=Value(EXPIRED)),
        default=F("state"),
        output_field=CharField(),
    )


def free_at(link: PaymentLink) -> datetime | None:
    """When the first use that is being paid is free again, unless it is paid. By the merchant's clock."""
    open_ones = Payment.objects.filter(merchant=link.merchant, payment_link_id=link.pk, status__in=OPEN)
    return open_ones.aggregate(soonest=Min("expires_at"))["soonest"]  # type: ignore[no-any-return]


def open_payment(link: PaymentLink, payment_id: str) -> Payment | None:
    """The payment if it was made with this link and can still be paid."""
    found = Payment.objects.select_related("merchant").filter(
        pk=payment_id, merchant=link.merchant, payment_link_id=link.pk, status__in=OPEN
    )
    return found.filter(expires_at__gt=clock.now(link.merchant)).first()


def subject_of(payment: Payment) -> str:
    """What its payer knows the payment by: the description of the link that it was made with, or its reference."""
    told = PaymentLink.objects.filter(pk=payment.payment_link_id).values_list("description", flat=True)
    return (told.first() if payment.payment_link_id else None) or payment.reference


def get(merchant: Merchant, link_id: str) -> PaymentLink:
    """Raises ONP404_PAYMENT_LINK, also for another merchant's link."""
    found = links().filter(pk=link_id, merchant=merchant).first() if is_well_formed(link_id) else None
    if found is None:
        raise PaymentLinkUnknown
    return found


def at(token: str) -> PaymentLink:
    """The link at a public address. Raises ONP404_PAYMENT_LINK and ONP403_ENVIRONMENT_NOT_SERVED."""
    found = links().filter(token=token).first() if is_well_formed(token) else None
    if found is None:
        raise PaymentLinkUnknown
    require_served(found.merchant)
    return found


def listed(
    merchant: Merchant,
    *,
    status: str | None = None,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
) -> QuerySet[PaymentLink]:
    """The merchant's links, newest first. `created_to` is exclusive."""
    return narrowed(links().filter(merchant=merchant), created_from=created_from, created_to=created_to, status=status)
