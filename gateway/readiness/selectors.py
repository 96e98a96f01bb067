"""Reads of readiness checks, and what they observe. The first argument is always the merchant, or a check of it."""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet

from accounts.base.clock import utcnow
from accounts.base.errors import catalogue
from accounts.base.ids import is_well_formed, made_at
from accounts.models import Merchant
from gateway.chaos.disturbances import AnswerDisturbance
from gateway.chaos.models import DisturbedRequest
from gateway.payments.models import Payment, Status
from gateway.readiness.errors import ReadinessCheckUnknown
from gateway.readiness.findings import Finding, Verdict
from gateway.readiness.models import ReadinessCheck
from gateway.readiness.observed import Call, Observed, Order, Release, Sent, Try
from gateway.readiness.probes import Probe, grade, judge
from gateway.requests.models import ApiRequest
from webhooks.disturbances import Disturbance
from webhooks.models import Attempt, Delivery, Event

MOST = 5_000
"""The rows of a kind that are looked at, the oldest first."""
SIMULATIONS = "/api/v2/simulations/"
"""What a test does there, the shop does not."""


def checks(merchant: Merchant) -> QuerySet[ReadinessCheck]:
    """The merchant's checks, newest first."""
    return ReadinessCheck.objects.filter(merchant=merchant).select_related("endpoint").order_by("-started_at", "-id")


def get(merchant: Merchant, check_id: str) -> ReadinessCheck:
    """Raises ONP404_READINESS_CHECK, also for another merchant's."""
    found = checks(merchant).filter(pk=check_id).first() if is_well_formed(check_id) else None
    if found is None:
        raise ReadinessCheckUnknown
    return found


def running(merchant: Merchant) -> ReadinessCheck | None:
    return checks(merchant).filter(finished_at=None).first()


def last_finished(merchant: Merchant) -> ReadinessCheck | None:
    return checks(merchant).exclude(finished_at=None).first()


def findings(check: ReadinessCheck) -> dict[Probe, Finding]:
    """What a finished check found, or what a running one has found so far, in the order of the probes."""
    if check.findings is None:
        return judge(observed(check, min(utcnow(), check.ends_at)))
    kept = {probe: check.findings[probe] for probe in Probe if probe in check.findings}  # jsonb keeps no order
    return {probe: Finding(Verdict(one["verdict"]), tuple(one["evidence"])) for probe, one in kept.items()}


def grade_of(found: dict[Probe, Finding]) -> str:
    return grade({probe: one.verdict for probe, one in found.items()})


def observed(check: ReadinessCheck, at: datetime) -> Observed:
    """Everything from the start of the check until `at`."""
    orders = _orders(check, at)
    return Observed(
        at=at,
        deliveries=tuple(_deliveries(check, at)),
        calls=tuple(_calls(check, at)),
        releases=tuple(_releases(check, at)),
        orders=tuple(orders),
    )


# ── Deliveries ────────────────────────────────────────────────────────────────────────────────────────────────────
def _deliveries(check: ReadinessCheck, at: datetime) -> Iterator[Sent]:
    tries = Prefetch("tries", Attempt.objects.defer("excerpt").order_by("number"))
    rows = Delivery.objects.filter(endpoint=check.endpoint_id, created_at__range=(check.started_at, at))
    rows = rows.select_related("event").defer("event__body").prefetch_related(tries).order_by("created_at", "id")
    found = list(rows[:MOST])
    said = _said({one.event_id for one in found if one.event.type == "payment.updated"})
    for one in found:
        yield Sent(
            id=one.id,
            event_id=one.event_id,
            object_id=one.event.object_id,
            sequence=one.event.sequence,
            kind=Disturbance(one.disturbance) if one.disturbance else None,
            says_paid=_says_paid(one, said),
            says_refunded=one.event.type == "payment.refunded",
            tries=tuple(Try(made.started_at, made.elapsed_ms, made.http_status) for made in one.tries.all()),
        )


CALLED_PAID = (Disturbance.FORGED, Disturbance.TAMPERED)
"""What these say of any payment."""


def _says_paid(delivery: Delivery, said: set[str]) -> bool:
    if delivery.disturbance in CALLED_PAID:
        return delivery.event.type.startswith("payment.")
    return delivery.event.type in ("payment.paid", "payment.refunded") or delivery.event_id in said


def _said(event_ids: set[str]) -> set[str]:
    """Those of the events whose payment carries `paidAt`."""
    bodies = Event.objects.filter(pk__in=event_ids).values_list("pk", "body")
    return {event_id for event_id, body in bodies if json.loads(bytes(body))["data"].get("paidAt")}


# ── Requests ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _calls(check: ReadinessCheck, at: datetime) -> Iterator[Call]:
    rows = ApiRequest.objects.filter(merchant=check.merchant_id, created_at__range=(check.started_at, at))
    rows = rows.exclude(path__startswith=SIMULATIONS).defer("response_body").order_by("created_at", "id")
    retryable = {refusal.code for refusal in catalogue() if refusal.retryable}
    disturbed = _disturbed(check, at)
    for one in rows[:MOST]:
        disturbance = disturbed.get(one.id)
        yield Call(
            id=one.id,
            at=one.created_at,
            method=one.method,
            path=one.path,
            query=one.query,
            key=str(one.idempotency_key) if one.idempotency_key else None,
            status=one.status,
            code=one.code,
            is_retryable=one.code in retryable,
            body=one.request_body,
            reference=_reference(one),
            object_id=one.object_id,
            kind=AnswerDisturbance(disturbance.kind) if disturbance else None,
            retry_after_s=(disturbance.retry_after_s or 0) if disturbance else 0,
        )


def _disturbed(check: ReadinessCheck, at: datetime) -> dict[str, DisturbedRequest]:
    """By the id of the request."""
    rows = DisturbedRequest.objects.filter(run__merchant=check.merchant_id, at__range=(check.started_at, at))
    return {one.request_id: one for one in rows}


def _reference(request: ApiRequest) -> str | None:
    """The order that a POST is about."""
    try:
        body = json.loads(request.request_body or "{}") if request.method == "POST" else {}
    except ValueError:  # cut off, or not JSON
        return None
    found = body.get("reference") if isinstance(body, dict) else None
    return found if isinstance(found, str) else None


# ── Orders ────────────────────────────────────────────────────────────────────────────────────────────────────────
def _orders(check: ReadinessCheck, at: datetime) -> list[Order]:
    rows = Payment.objects.filter(merchant=check.merchant_id, created_at__gte=check.payments_since)
    payments = [one for one in rows.order_by("created_at", "id")[:MOST] if made_at(one.id) <= at]
    ids = [one.id for one in payments]
    told, lost = _told(check, ids), _lost(check, ids)
    return [_order(one, told[one.id], is_lost=one.id in lost) for one in payments]


ENDS = ("payment.paid", "payment.failed", "payment.expired")


def _told(check: ReadinessCheck, payment_ids: list[str]) -> dict[str, dict[str, datetime]]:
    """When each payment was first told of, by type of event."""
    told: defaultdict[str, dict[str, datetime]] = defaultdict(dict)
    events = Event.objects.filter(merchant=check.merchant_id, object_id__in=payment_ids, type__in=ENDS)
    for event in events.defer("body").order_by("created_at", "id"):
        told[event.object_id].setdefault(event.type, event.created_at)
    return told


def _lost(check: ReadinessCheck, payment_ids: list[str]) -> set[str]:
    """Payments whose first news was withheld."""
    held = Delivery.objects.filter(
        endpoint=check.endpoint_id,
        disturbance=Disturbance.LOST,
        event__object_id__in=payment_ids,
        created_at__gte=check.started_at,
    )
    return set(held.values_list("event__object_id", flat=True))


def _order(payment: Payment, told: dict[str, datetime], *, is_lost: bool) -> Order:
    return Order(
        id=payment.id,
        reference=payment.reference,
        at=made_at(payment.id),
        ended_at=min(told.values(), default=None),
        paid_at=told.get("payment.paid"),
        is_refunded=payment.status == Status.REFUNDED,
        is_expired=payment.status == Status.EXPIRED,
        is_lost=is_lost,
        bought=f"{payment.customer_id} {payment.amount} {payment.currency}",
    )


def _releases(check: ReadinessCheck, at: datetime) -> Iterator[Release]:
    rows: Any = check.releases.filter(created_at__lte=at).order_by("created_at", "id")
    for one in rows[:MOST]:
        yield Release(one.payment_id, one.created_at, was_paid=one.was_paid, was_refunded=one.was_refunded)
