"""What a silent process has in hand is free within seconds, and one that comes back disturbs nobody."""

import asyncio
import time
from datetime import timedelta
from typing import Any

import pytest

from accounts.base.clock import utcnow
from tests.support.companies import Shop
from tests.support.receiver import Receiver
from tests.support.webhooks import Hook, ago, happens
from webhooks import holds, queue, recording
from webhooks.client import AttemptFailure, AttemptResponse, Sender
from webhooks.dispatch import Lane
from webhooks.models import Delivery, Endpoint, Hold

pytestmark = pytest.mark.django_db
WELL = AttemptResponse(status=200, error=None, retry_after=None, excerpt="", elapsed_ms=1)
TOO_LATE = AttemptResponse(status=None, error=AttemptFailure.TIMEOUT, retry_after=None, excerpt="", elapsed_ms=15_000)


@pytest.fixture
def holder() -> holds.Holder:
    found = holds.Holder()
    found.renew()
    return found


@pytest.fixture
def other() -> holds.Holder:
    found = holds.Holder()
    found.renew()
    return found


def silent(holder: holds.Holder, seconds: float) -> None:
    """So long has it not renewed its hold, and been marked for."""
    Hold.objects.filter(pk=holder.id, silent_since__isnull=False).update(silent_since=ago(seconds=seconds))
    Hold.objects.filter(pk=holder.id).update(beat_at=ago(seconds=seconds))


def record(claimed: queue.Claimed, answer: AttemptResponse) -> None:
    recording.record([queue.Tried(claimed, utcnow(), answer)])


def taken_over(mine: holds.Holder, other: holds.Holder) -> tuple[queue.Claimed, queue.Claimed]:
    """One delivery, claimed by one process and then by another, because the first was silent."""
    [first] = queue.claim(10, mine.id)
    silent(mine, 3)
    other.renew()
    assert queue.claim(10, other.id) == []  # it is only marked
    silent(mine, 3)
    [second] = queue.claim(10, other.id)
    return first, second


def test_what_a_silent_process_holds_is_taken_by_another(
    acme: Shop, hook: Hook, holder: holds.Holder, other: holds.Holder
) -> None:
    happens(acme.sandbox)

    first, second = taken_over(holder, other)

    assert (first.id, first.attempt, second.attempt) == (second.id, 1, 2)
    assert queue.claim(10) == []


def test_a_late_result_changes_neither_the_delivery_nor_its_endpoint(
    acme: Shop, hook: Hook, holder: holds.Holder, other: holds.Holder
) -> None:
    happens(acme.sandbox)
    first, second = taken_over(holder, other)

    record(first, TOO_LATE)
    queue.give_back([first])
    row = Delivery.objects.get()
    assert (row.status, row.attempts, row.lease, hook.row().failures) == ("PENDING", 2, other.id, 0)
    record(second, WELL)
    done = Delivery.objects.values().get()
    record(first, TOO_LATE)

    assert Delivery.objects.values().get() == done
    assert (done["status"], hook.row().failures) == ("DELIVERED", 0)


def test_an_older_attempt_of_the_same_process_changes_nothing(acme: Shop, hook: Hook, holder: holds.Holder) -> None:
    happens(acme.sandbox)
    [first] = queue.claim(10, holder.id)
    Delivery.objects.update(leased_until=utcnow())
    [second] = queue.claim(10, holder.id)

    record(first, TOO_LATE)
    queue.give_back([first])
    assert Delivery.objects.filter(lease=holder.id, attempts=2, status="PENDING").exists()

    record(second, WELL)
    assert Delivery.objects.get().status == "DELIVERED"


def test_who_comes_back_in_time_keeps_its_work(
    acme: Shop, hook: Hook, holder: holds.Holder, other: holds.Holder
) -> None:
    happens(acme.sandbox)
    [claimed] = queue.claim(10, holder.id)
    for one in (holder, other):  # the database was away
        silent(one, 60)

    other.renew()
    assert queue.claim(10, other.id) == []
    holder.renew()

    assert holder.covers(claimed.lease)
    assert not Hold.objects.filter(silent_since__isnull=False).exists()


def test_who_comes_back_late_starts_nothing_that_it_had_claimed(
    acme: Shop, hook: Hook, receiver: Receiver, holder: holds.Holder, other: holds.Holder
) -> None:
    happens(acme.sandbox)
    first, second = taken_over(holder, other)

    async def start() -> list[Any]:
        async with Sender() as sender:
            soon = time.monotonic() + 10
            return [await Lane().attempt(sender, whose, one, soon) for whose, one in ((holder, first), (other, second))]

    holder.renew()
    given_back, tried = asyncio.run(start())

    assert given_back is first
    assert isinstance(tried, queue.Tried)
    assert len(receiver.received) == 1
    assert holder.lasts
    assert holder.id != first.lease


def test_the_next_of_an_object_waits_for_the_living_only(
    acme: Shop, hook: Hook, holder: holds.Holder, other: holds.Holder
) -> None:
    earlier = happens(acme.sandbox)
    [held] = queue.claim(10, holder.id)
    later = happens(acme.sandbox)
    assert queue.claim(10, other.id) == []

    silent(holder, 3)
    holds.watch()
    silent(holder, 3)

    assert [one.event_id for one in queue.claim(10, other.id)] == [earlier, later]
    assert held.event_id == earlier


def test_an_ended_or_forgotten_hold_leaves_its_leases_to_time(
    acme: Shop, hook: Hook, holder: holds.Holder, other: holds.Holder
) -> None:
    happens(acme.sandbox)
    assert len(queue.claim(10, holder.id)) == 1

    holder.end()
    assert queue.claim(10, other.id) == []
    Delivery.objects.update(leased_until=utcnow())
    assert len(queue.claim(10, other.id)) == 1

    silent(other, 3)
    holds.watch()
    silent(other, 301)
    holds.watch()
    assert not Hold.objects.exists()
    assert Endpoint.objects.get().failures == 0
    left = Delivery.objects.get().leased_until
    assert left is not None
    assert left > utcnow() + timedelta(seconds=queue.LEASE_S - 10)
