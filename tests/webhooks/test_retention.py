"""Events and deliveries are kept for thirty days, then they go by whole ranges and nobody finds them any more."""

from datetime import timedelta

import pytest
from django.db.models import F

from accounts.base.clock import utcnow
from gateway.payments.models import Payment
from ledger.verify import verify
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.ranges import kept_for_weeks
from tests.support.receiver import Receiver
from tests.support.webhooks import NO_DELIVERY, NO_EVENT, Hook, back_in_time, happens, outcome
from webhooks.dispatch import deliver_due
from webhooks.models import Attempt, Delivery, Event
from webhooks.retention import forget_old

OLD = 36
"""Days: the whole of a range of five days is older than thirty."""


@pytest.fixture(autouse=True)
def ranges(db: None) -> None:
    kept_for_weeks()


def aged(event: str, days: float) -> tuple[str, list[str]]:
    """Makes the event, its deliveries and their attempts so old; returns their new ids."""
    how_long, deliveries = timedelta(days=days), []
    older = back_in_time(event, how_long)
    Event.objects.filter(pk=event).update(id=older, created_at=utcnow() - how_long, occurred_at=utcnow() - how_long)
    for delivery in Delivery.objects.filter(event_id=event):
        deliveries.append(back_in_time(delivery.id, how_long))
        Attempt.objects.filter(delivery_id=delivery.id).update(delivery_id=deliveries[-1])
        Delivery.objects.filter(pk=delivery.id).update(
            id=deliveries[-1], event_id=older, created_at=utcnow() - how_long
        )
    return older, deliveries


def counts() -> tuple[int, int, int]:
    return Event.objects.count(), Delivery.objects.count(), Attempt.objects.count()


def test_after_thirty_days_they_are_forgotten_with_every_attempt(
    api: Api, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    event = happens(acme.sandbox)
    deliver_due()
    old, [delivery] = aged(event, OLD)
    happens(acme.sandbox)
    deliver_due()
    assert counts() == (2, 2, 2)

    assert len(forget_old()) >= 3

    assert counts() == (1, 1, 1)
    assert outcome(api.get(f"/events/{old}")) == NO_EVENT
    assert outcome(api.get(f"{hook.path}/deliveries/{delivery}")) == NO_DELIVERY
    assert old not in [one["eventId"] for one in hook.deliveries()]


def test_until_then_they_are_kept(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    event = happens(acme.sandbox)
    deliver_due()
    old, [delivery] = aged(event, 29.99)

    forget_old()

    assert counts() == (1, 1, 1)
    assert outcome(api.get(f"/events/{old}")) == (200, "ONP200")
    assert len(api.get(f"{hook.path}/deliveries/{delivery}").json()["data"]["tries"]) == 1


def test_nothing_is_replayed_that_is_forgotten(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    event = happens(acme.sandbox)
    deliver_due()
    aged(event, OLD)
    forget_old()

    answer = hook.post("replays", {}).json()["data"]

    assert (answer["matched"], answer["queued"], deliver_due()) == (0, 0, 0)


def test_a_replay_just_before_the_end_is_told(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    event = happens(acme.sandbox)
    deliver_due()
    aged(event, 29.9)
    assert hook.post("replays", {}).json()["data"]["queued"] == 1

    forget_old()

    assert (deliver_due(), len(receiver.received)) == (1, 2)
    assert receiver.received[0].body == receiver.received[1].body


def test_a_young_redelivery_of_an_old_event_goes_with_it(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    event = happens(acme.sandbox)
    deliver_due()
    old, [first] = aged(event, OLD)
    hook.post(f"deliveries/{first}/redeliveries")
    [again] = Delivery.objects.filter(event_id=old, status="PENDING").values_list("pk", flat=True)
    assert again[:14] == first[:14]
    happens(acme.sandbox)

    forget_old()

    assert (deliver_due(), counts()) == (1, (1, 1, 1))


def test_what_nobody_listened_to_is_forgotten_as_well(api: Api, acme: Shop) -> None:
    old, _ = aged(happens(acme.sandbox), OLD)
    young = happens(acme.sandbox)

    forget_old()

    assert [one["id"] for one in api.get("/events").json()["data"]] == [young]
    assert outcome(api.get(f"/events/{old}")) == NO_EVENT


def test_the_books_of_a_shop_that_lives_in_the_future_stay_right(api: Api, acme: Shop) -> None:
    api.post("/simulations/clock", {"advanceBy": "P90D"})
    acme.sandbox.refresh_from_db()
    payment = a_payment(acme.sandbox, "PAID")
    aged(Event.objects.get(object_id=payment.id).id, OLD)
    Payment.objects.update(updated_at=F("updated_at") - timedelta(days=31))

    forget_old()

    assert [str(violation) for violation in verify()] == []
