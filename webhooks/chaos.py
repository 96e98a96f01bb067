"""Disturbed deliveries of a sandbox company: which endpoints are disturbed until when, and what happens to an event."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Q

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.models import Environment, Merchant
from webhooks.disturbances import EXTRA, HELD, STRANGE, UNTRUE, WAYS, Disturbance
from webhooks.lifecycle import CANCELED
from webhooks.models import Delivery, Endpoint

HELD_FOR_S = 20
DELAYS_S = (2, 5, 10, 20)
LOOKED_AT = 200
"""Deliveries by which the next disturbance of an endpoint is chosen."""
_UNSENT = Q(status=Delivery.Status.PENDING, attempts=0)
_EXTRA = Q(disturbance__in=EXTRA, status=Delivery.Status.PENDING)


def start(endpoints: Iterable[Endpoint], disturbances: Sequence[Disturbance], until: datetime) -> None:
    """Disturbs the events of these endpoints. The caller has checked that they belong to a sandbox company."""
    Endpoint.objects.filter(pk__in=[one.pk for one in endpoints], merchant__environment=Environment.SANDBOX).update(
        disturbances=list(disturbances), disturbed_since=utcnow(), disturbed_until=until
    )


def end(merchant: Merchant) -> None:
    """What was held back is sent now; what was only meant to disturb is not sent any more."""
    Endpoint.objects.filter(merchant=merchant).update(disturbances=[], disturbed_since=None, disturbed_until=None)
    made = Delivery.objects.filter(endpoint__merchant=merchant)
    made.filter(_UNSENT, disturbance__in=HELD).update(next_attempt_at=utcnow())
    made.filter(_EXTRA).update(status=CANCELED, next_attempt_at=None)


def cancel_late() -> None:
    """Cancels what was only meant to disturb, and is still waiting when the run is over."""
    over = Q(endpoint__disturbed_until=None) | Q(endpoint__disturbed_until__lte=utcnow())
    Delivery.objects.filter(_EXTRA & over).update(status=CANCELED, next_attempt_at=None)


def is_disturbed(merchant: Merchant) -> bool:
    """Whether a run of this company goes on. Costs nothing: the merchant says so."""
    return merchant.disturbed_until is not None and merchant.disturbed_until > utcnow()


def disturb(event_id: str, event_type: str) -> None:
    """Changes the new deliveries of an event to disturbed endpoints, and adds others.

    An endpoint meets each disturbance in turn: next is the one that it has met least often in this run. How an event
    itself is sent takes turns among events of its type. Of an event that is lost, waits for later ones or overtakes
    one, no further delivery tells that a receiver accepts.
    """
    made = Delivery.objects.filter(event=event_id, endpoint__disturbed_until__gt=utcnow())
    for delivery in made.select_related("endpoint").order_by("pk"):
        _disturb(delivery, event_type)


def _disturb(delivery: Delivery, event_type: str) -> None:
    endpoint = delivery.endpoint
    recent = list(
        Delivery.objects.filter(endpoint=endpoint, created_at__gte=endpoint.disturbed_since)
        .order_by("-created_at")
        .values_list("event__type", "disturbance")[:LOOKED_AT]
    )
    met, met_by_type = Counter(one for _, one in recent), Counter(one for kind, one in recent if kind == event_type)
    ways = [way for way in WAYS if way != Disturbance.LOST or event_type == "payment.paid"]
    if overtakes := _overtakes(delivery):
        ways = []
    way = _next(ways, endpoint, met_by_type)
    is_disordered = overtakes or way in (Disturbance.LOST, Disturbance.REORDER)
    strange = None if is_disordered else _next(STRANGE, endpoint, met)
    for one in (way, _next(UNTRUE, endpoint, met), strange):
        if one in EXTRA:
            _add(delivery, one)
        elif one:
            _hold(delivery, one, met[one])


def _overtakes(delivery: Delivery) -> bool:
    """Whether an earlier event of the same object is held back for it."""
    earlier = Delivery.objects.filter(endpoint=delivery.endpoint, event__object_id=delivery.object_id)
    return earlier.filter(_UNSENT, disturbance=Disturbance.REORDER).exists()


def _next(group: Sequence[Disturbance], endpoint: Endpoint, met: Counter[str | None]) -> Disturbance | None:
    wanted = [one for one in group if one in endpoint.disturbances]
    return min(wanted, key=lambda one: met[one], default=None)


def _hold(delivery: Delivery, disturbance: Disturbance, times: int) -> None:
    """Later events of the object do not wait for a lost one, and overtake a disordered one."""
    until = delivery.endpoint.disturbed_until
    assert until
    waits_s = DELAYS_S[times % len(DELAYS_S)] if disturbance == Disturbance.DELAY else HELD_FOR_S
    is_lost = disturbance == Disturbance.LOST
    delivery.next_attempt_at = until if is_lost else min(until, delivery.created_at + timedelta(seconds=waits_s))
    delivery.disturbance = disturbance
    if disturbance != Disturbance.DELAY:
        delivery.object_id = delivery.sequence = None
    delivery.save()


def _add(delivery: Delivery, disturbance: Disturbance) -> None:
    Delivery.objects.create(
        id=f"{delivery.pk[:14]}{new_id('dlv')[-16:]}",  # it expires together with its event
        event_id=delivery.event_id,
        endpoint=delivery.endpoint,
        next_attempt_at=delivery.created_at,
        is_retried=False,
        disturbance=disturbance,
        created_at=delivery.created_at,
    )
