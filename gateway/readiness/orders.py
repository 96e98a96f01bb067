"""Probes of the shop: which orders it released. Nothing is observed of a shop that reports no releases."""

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from gateway.readiness.findings import Case, right, wrong
from gateway.readiness.observed import Observed, Order, Sent
from webhooks.disturbances import Disturbance


def duplicate_released_once(seen: Observed) -> Iterator[Case]:
    """A second release is wrong without a duplicate too."""
    yield from _released_once(seen, Disturbance.DUPLICATE, Disturbance.REORDER)
    for order in _to_release(seen):
        if not _disturbed(seen, order) and len(seen.released(order.id)) > 1:
            yield wrong(order.id)


def disorder_released_once(seen: Observed) -> Iterator[Case]:
    yield from _released_once(seen, Disturbance.REORDER, Disturbance.DUPLICATE)


def lost_event_released(seen: Observed) -> Iterator[Case]:
    """Judged once another event, or a look-up, has told the shop."""
    for order in _to_release(seen):
        if order.is_lost and (told_at := _first_told(seen, order)):
            if seen.released(order.id):
                yield right(order.id)
            elif seen.is_late(told_at):
                yield wrong(order.id)


def unpaid_not_released(seen: Observed) -> Iterator[Case]:
    """What was released after a forged delivery belongs to another probe."""
    for order in seen.orders if seen.releases else ():
        released = seen.released(order.id)
        untrue = seen.untrue_about(order.id)
        if any(not one.was_paid and not (untrue and one.at >= untrue.tries[0].at) for one in released):
            yield wrong(order.id)
        elif not released and not order.is_paid and order.ended_at and seen.is_late(order.ended_at):
            yield right(order.id)


def refunded_not_released(seen: Observed) -> Iterator[Case]:
    """Orders whose first news was that the whole amount had gone back: a shop that was told PAID before may be acting
    on that.
    """
    for order in seen.orders if seen.releases else ():
        told = sorted((at, one.id, one.says_refunded) for one in seen.about(order.id) if (at := one.accepted_at))
        if not (told and told[0][2]):
            continue
        told_at, delivery_id, _ = told[0]
        paid_at = next((at for at, _, says_refunded in told if not says_refunded), None)
        released = seen.released(order.id)
        if any(one.was_refunded and (paid_at is None or one.at < paid_at) for one in released):
            yield wrong(order.id, delivery_id)
        elif not released and seen.is_late(told_at):
            yield right(order.id, delivery_id)


def forged_not_released(seen: Observed) -> Iterator[Case]:
    """Orders that were unpaid when a delivery which must be refused called them paid."""
    for order in seen.orders if seen.releases else ():
        untrue = seen.untrue_about(order.id)
        if untrue is None or (order.paid_at and order.paid_at <= untrue.tries[0].at):
            continue
        if any(not one.was_paid and one.at >= untrue.tries[0].at for one in seen.released(order.id)):
            yield wrong(order.id, untrue.id)
        elif seen.is_late(untrue.tries[0].at):
            yield right(order.id, untrue.id)


def _to_release(seen: Observed) -> Iterator[Order]:
    """Paid orders, unless the money went back."""
    return (one for one in seen.orders if seen.releases and one.is_paid and not one.is_refunded)


def _released_once(seen: Observed, way: Disturbance, other: Disturbance) -> Iterator[Case]:
    """Orders whose events came in this way. Which of the two led to a wrong release of one whose events came in both
    cannot be told: this way, too, unless the shop went wrong where the events came in the other way alone.
    """
    yield from _disturbed_by(seen, way)
    if all(case.is_right for case in _disturbed_by(seen, other)):
        yield from _disturbed_by(seen, way, other)


def _disturbed_by(seen: Observed, *ways: Disturbance) -> Iterator[Case]:
    for order in _to_release(seen):
        met = _disturbed(seen, order)
        if met.keys() == {*ways}:
            yield from _once(seen, order, max(met.values()))


def _disturbed(seen: Observed, order: Order) -> dict[Disturbance, datetime]:
    """How the events came that say that the order is paid, and since when the shop has known all that it needs."""
    told = seen.about(order.id)
    met = {}
    if not order.is_lost and (told_at := _told_twice_at(told)):
        met[Disturbance.DUPLICATE] = told_at
    if not order.is_lost and _is_disordered(told):
        met[Disturbance.REORDER] = max(at for one in told if (at := one.accepted_at))
    return met


def _once(seen: Observed, order: Order, told_at: datetime) -> Iterator[Case]:
    times = len(seen.released(order.id))
    if times == 1:
        yield right(order.id)
    elif times or seen.is_late(told_at):
        yield wrong(order.id)


def _told_twice_at(told: list[Sent]) -> datetime | None:
    """When one event was accepted for the second time."""
    accepted = sorted((one.event_id, at) for one in told if (at := one.accepted_at))
    return next((later[1] for earlier, later in pairwise(accepted) if earlier[0] == later[0]), None)


def _is_disordered(told: list[Sent]) -> bool:
    """Whether a later event may have arrived first: its first attempt began before that of an earlier one was
    answered.
    """
    began: dict[int, datetime] = {}
    answered: dict[int, datetime] = {}
    for one in told:
        if one.accepted_at and one.accepted_by:
            began[one.sequence] = min(one.accepted_at, began.get(one.sequence, one.accepted_at))
            answered[one.sequence] = min(one.accepted_by, answered.get(one.sequence, one.accepted_by))
    return any(began[later] < answered[earlier] for earlier, later in pairwise(sorted(began)))


def _first_told(seen: Observed, order: Order) -> datetime | None:
    """When the shop could know, without the lost event."""
    by_event = [at for one in seen.about(order.id) if one.kind is not Disturbance.LOST and (at := one.accepted_at)]
    by_itself = [one.at for one in seen.read(order.id) if order.paid_at and one.at >= order.paid_at]
    return min([*by_event, *by_itself], default=None)
