"""Reads of the request log. The first argument is always the merchant."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Model, Prefetch, QuerySet

from accounts.base.clock import utcnow
from accounts.base.ids import IdField, is_well_formed
from accounts.base.listing import newest
from accounts.models import Merchant
from gateway.conversions.models import Conversion
from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.refunds.models import Refund
from gateway.requests.errors import RequestUnknown
from gateway.requests.models import ApiRequest, IdempotencyKey
from gateway.withdrawals.models import Withdrawal
from ledger.books.models import Transfer
from webhooks.models import Attempt, Delivery, Endpoint, Event

RECENT = timedelta(hours=24)
MOST = 50
"""The maximum number of transfers, events or attempts shown for one request."""
READING = ("GET", "HEAD")
_KINDS: tuple[type[Model], ...] = (Payment, Refund, Withdrawal, Conversion, Customer, Endpoint, Event)


def listed(
    merchant: Merchant,
    *,
    path_contains: str | None = None,
    status_class: int | None = None,
    object_id: str | None = None,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
    method: str | None = None,
    code: str | None = None,
    key_id: str | None = None,
    origin: str | None = None,
) -> QuerySet[ApiRequest]:
    """The merchant's requests without bodies, newest first, each with its key.

    `status_class` is 2, 4 or 5; `object_id` any id that a request created or concerned; `created_to` is exclusive.
    """
    whole = {"method": method, "code": code, "api_key": key_id, "origin": origin}
    found = ApiRequest.objects.filter(merchant=merchant, **{k: v for k, v in whole.items() if v is not None})
    if path_contains:
        found = found.filter(path__icontains=path_contains)
    if status_class:
        found = found.filter(status__gte=status_class * 100, status__lt=status_class * 100 + 100)
    if code and re.match("ONP[0-9]{3}", code):
        found = found.filter(status=int(code[3:6]))  # equivalent, and indexed
    if object_id:
        found = found.filter(objects_named__contains=[object_id])
    return newest(_without_bodies(found), created_from, created_to)


def _without_bodies(rows: QuerySet[ApiRequest]) -> QuerySet[ApiRequest]:
    return rows.select_related("api_key").defer("request_body", "response_body", "api_key__digest")


@dataclass(frozen=True, slots=True)
class Refused:
    """How often a code was returned, and the last request with it."""

    code: str | None
    status: int
    times: int
    last_at: datetime
    last_request_id: str


def refused(merchant: Merchant, *, within: timedelta = RECENT) -> list[Refused]:
    """Errors of the last 24 hours, the most frequent code first."""
    rows = (
        ApiRequest.objects.filter(merchant=merchant, status__gte=400, created_at__gte=utcnow() - within)
        .values_list("code", "status")
        .annotate(times=Count("pk"), last_at=Max("created_at"), last_request_id=Max("pk"))
        .order_by("-times", "code")
    )
    return [Refused(*row) for row in rows]


def get(merchant: Merchant, request_id: str) -> ApiRequest:
    """Raises ONP404_REQUEST, also for another merchant's request, or a deleted one."""
    rows = ApiRequest.objects.filter(merchant=merchant, pk=request_id).select_related("api_key")
    found = rows.first() if is_well_formed(request_id) else None
    if found is None:
        raise RequestUnknown
    return found


@dataclass(frozen=True, slots=True)
class Story:
    """A request, the object it created or concerned, and the consequences, oldest first.

    A read created nothing. `key` is the stored state of its idempotency key, `tries` are other requests with that key.
    Transfers have entries with accounts, events have deliveries with endpoint and attempts.
    """

    request: ApiRequest
    made: Any | None
    key: IdempotencyKey | None
    tries: list[ApiRequest] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def key_state(self) -> str | None:
        """ANSWERED: retries get the stored response. IN_PROGRESS: it is being processed. UNFINISHED: the next retry
        resumes it. FREE: nothing was stored. None: there is no key.
        """
        if self.request.idempotency_key is None:
            return None
        if self.key is None:
            return "FREE"
        if self.key.status is not None:
            return "ANSWERED"
        return "IN_PROGRESS" if self.key.leased_until and self.key.leased_until > utcnow() else "UNFINISHED"


def story(merchant: Merchant, request_id: str) -> Story:
    """Raises ONP404_REQUEST."""
    request = get(merchant, request_id)
    made = _record(merchant, request.object_id) if request.object_id else None
    if request.method in READING:
        return Story(request, made, None)
    key = _key(merchant, request)
    since = min(request.created_at, key.created_at) if key else request.created_at
    ids = request.objects_named
    transfers = Transfer.objects.filter(merchant=merchant, reference__in=ids, created_at__gte=since)
    events = Event.objects.filter(merchant=merchant, object_id__in=ids, created_at__gte=since)
    tries = Prefetch("tries", Attempt.objects.order_by("number"))
    deliveries = Prefetch("deliveries", Delivery.objects.select_related("endpoint").prefetch_related(tries))
    return Story(
        request=request,
        made=made,
        key=key,
        tries=_attempts(merchant, request, key) if request.idempotency_key else [],
        transfers=list(transfers.prefetch_related("entries__account").order_by("pk")[:MOST]),
        events=list(events.defer("body").prefetch_related(deliveries).order_by("pk")[:MOST]),
    )


def _record(merchant: Merchant, public_id: str) -> Model | None:
    """The merchant's own record with this id, of any type."""
    for kind in _KINDS:
        key = kind._meta.pk
        if isinstance(key, IdField) and public_id.startswith(f"{key.prefix}_"):
            return kind._default_manager.filter(merchant=merchant, pk=public_id).first()
    return None


def _key(merchant: Merchant, request: ApiRequest) -> IdempotencyKey | None:
    if request.idempotency_key is None:
        return None
    rows = IdempotencyKey.objects.filter(merchant=merchant, key=request.idempotency_key)
    return rows.defer("sealed_body").first()


def _attempts(merchant: Merchant, request: ApiRequest, key: IdempotencyKey | None) -> list[ApiRequest]:
    """The request that claimed the key, and those that named the same object with it."""
    own = ApiRequest.objects.filter(merchant=merchant).exclude(pk=request.pk)
    about = own.filter(objects_named__overlap=request.objects_named, idempotency_key=request.idempotency_key)
    found = {one.pk: one for one in _without_bodies(about).order_by("pk")[:MOST]}
    if key and key.request_id not in found:
        found |= {one.pk: one for one in _without_bodies(own.filter(pk=key.request_id))}
    return [found[pk] for pk in sorted(found)]
