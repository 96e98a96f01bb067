"""Probes of the client: what it did after lost answers and refusals, and how often it asked."""

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations

from gateway.chaos.disturbances import AnswerDisturbance
from gateway.readiness.findings import Case, right, wrong
from gateway.readiness.observed import Call, Observed, Order

MOST_REFUSALS = 2
"""The same request, refused for good: once more may be a person who tries again."""
MOST_READS = 20
WITHIN = timedelta(minutes=1)
"""The limit of look-ups of one thing: one every three seconds."""
CONFLICT = "ONP409_IDEMPOTENCY_CONFLICT"


def retried_with_same_key(seen: Observed) -> Iterator[Case]:
    for lost in _disturbed(seen, AnswerDisturbance.ANSWER_LOST, AnswerDisturbance.UNAVAILABLE):
        if lost.key:
            yield from _followed(seen, lost, waits=False)


def waited_retry_after(seen: Observed) -> Iterator[Case]:
    for limited in _disturbed(seen, AnswerDisturbance.RATE_LIMITED):
        if again := next((one for one in _after(seen, limited) if one.repeats(limited)), None):
            yield Case(_has_waited(limited, again), (limited.id, again.id))


def in_progress_waited(seen: Observed) -> Iterator[Case]:
    for begun in _disturbed(seen, AnswerDisturbance.IN_PROGRESS):
        yield from _followed(seen, begun, waits=True)


def refusals_not_repeated(seen: Observed) -> Iterator[Case]:
    refused: defaultdict[tuple[str, str, str | None], list[Call]] = defaultdict(list)
    for one in seen.calls:
        if one.method == "POST" and 400 <= one.status < 500 and not one.is_retryable and not one.kind:
            refused[one.path, one.code or "", one.body].append(one)
    for times in refused.values():
        is_wrong = len(times) > MOST_REFUSALS or times[0].code == CONFLICT
        yield Case(not is_wrong, tuple(one.id for one in times[:3]))


def polled_gently(seen: Observed) -> Iterator[Case]:
    """A shop that asks nothing asks gently, once it has an order."""
    read: defaultdict[tuple[str, str], list[Call]] = defaultdict(list)
    for one in seen.calls:
        if one.method == "GET":
            read[one.path, one.query].append(one)
    for calls in read.values():
        if any(late.at - early.at < WITHIN for early, late in zip(calls, calls[MOST_READS:], strict=False)):
            yield wrong(*(one.object_id for one in calls[:1] if one.object_id), calls[0].id, calls[MOST_READS].id)
    yield from (right(order.id) for order in seen.orders)


def another_way_one_payable(seen: Observed) -> Iterator[Case]:
    """The same order under a second reference is found by what was bought, and by how the references begin."""
    for first, second in combinations(seen.orders, 2):
        if first.reference == second.reference:
            if first.is_expired:
                yield right(first.id, second.id)
        elif _is_same_order(first, second) and (first.ended_at is None or first.ended_at > second.at):
            yield wrong(first.id, second.id)


def _is_same_order(first: Order, second: Order) -> bool:
    """`order-7` and `order-7-2` or `order-7b`, and not `order-70`."""
    rest = second.reference.removeprefix(first.reference)
    return first.bought == second.bought and rest != second.reference and bool(re.match(r"\D", rest))


def _disturbed(seen: Observed, *kinds: AnswerDisturbance) -> list[Call]:
    return [one for one in seen.calls if one.kind in kinds]


def _after(seen: Observed, first: Call) -> Iterator[Call]:
    return (one for one in seen.calls if one.at > first.at)


def _has_waited(first: Call, again: Call) -> bool:
    return (again.at - first.at).total_seconds() >= first.retry_after_s


def _followed(seen: Observed, first: Call, *, waits: bool) -> Iterator[Case]:
    """What came next: the same with the same key is right, with another key or nothing at all is wrong."""
    for one in _after(seen, first):
        if one.starts_again(first):
            yield wrong(first.id, one.id)
            return
        if one.repeats(first):
            yield Case(_has_waited(first, one) or not waits, (first.id, one.id))
            return
    if seen.is_late(first.at):
        yield wrong(first.id)
