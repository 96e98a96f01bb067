"""What happens to one object arrives in order, as long as the receiver is well."""

import json

from accounts.base.clock import utcnow
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Receiver, listening
from tests.support.webhooks import Hook, happens, later, registered
from webhooks import queue
from webhooks.client import AttemptResponse
from webhooks.dispatch import deliver_due
from webhooks.models import Delivery, Event

SUCCESS = AttemptResponse(status=200, error=None, retry_after=None, excerpt="", elapsed_ms=1)


def ids(receiver: Receiver) -> list[str]:
    return [one.headers["webhook-id"] for one in receiver.received]


def claimed() -> list[str]:
    """The events that workers take in hand now."""
    return sorted(one.event_id for one in queue.claim(100))


def test_the_events_of_one_object_arrive_in_order(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    told = [happens(acme.sandbox) for _ in range(6)]

    assert deliver_due() == 6

    assert ids(receiver) == told


def test_the_events_of_a_payment_arrive_in_order_and_are_numbered(
    api: Api, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    refund = api.post(f"/payments/{payment.id}/refunds", {"amount": 50}).json()["data"]["id"]
    api.post(f"/simulations/refunds/{refund}", {"status": "COMPLETED"})

    deliver_due()

    bodies = [json.loads(one.body) for one in receiver.received]
    of_payment = [body for body in bodies if body["data"]["id"] == payment.id]
    of_refund = [body for body in bodies if body["data"]["id"] == refund]
    assert [body["type"] for body in of_payment] == ["payment.paid", "payment.updated"]
    assert [body["type"] for body in of_refund] == ["refund.created", "refund.completed"]
    for first, second in (of_payment, of_refund):
        assert type(first["sequence"]) is int
        assert first["sequence"] < second["sequence"]


def test_each_number_is_greater_than_the_one_before(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    for _ in range(50):
        happens(acme.sandbox)

    deliver_due()

    numbers = [json.loads(one.body)["sequence"] for one in receiver.received]
    assert numbers == sorted(set(numbers)) and len(numbers) == 50


def test_what_was_forgotten_does_not_set_the_numbers_back(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    for _ in range(3):
        happens(acme.sandbox)
    deliver_due()
    highest = max(json.loads(one.body)["sequence"] for one in receiver.received)
    Event.objects.all().delete()

    happens(acme.sandbox)
    deliver_due()

    assert json.loads(receiver.received[-1].body)["sequence"] > highest


def test_what_was_never_tried_goes_first(acme: Shop, hook: Hook) -> None:
    first, second = happens(acme.sandbox), happens(acme.sandbox)
    Delivery.objects.filter(event_id=first).update(next_attempt_at=utcnow().replace(year=2099))

    assert claimed() == []

    Delivery.objects.update(next_attempt_at=utcnow())
    assert claimed() == [first]
    assert Delivery.objects.get(event_id=second).attempts == 0


def test_while_one_is_in_the_air_the_next_waits_and_others_go(acme: Shop, hook: Hook) -> None:
    first, second, _ = (happens(acme.sandbox) for _ in range(3))
    [in_the_air] = queue.claim(100)
    assert in_the_air.event_id == first

    other = happens(acme.sandbox, object_id="pay_y")

    assert claimed() == [other]
    queue.record([queue.Tried(in_the_air, utcnow(), SUCCESS)])
    assert (claimed(), claimed()) == ([second], [])


def test_a_retry_in_the_air_holds_the_next_as_well(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    receiver.will_answer(500)
    first = happens(acme.sandbox)
    deliver_due()
    later()
    assert claimed() == [first]

    second = happens(acme.sandbox)

    assert claimed() == []
    assert Delivery.objects.get(event_id=second).attempts == 0


def test_after_a_failure_order_is_given_up(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    receiver.will_answer(500)
    first, second = happens(acme.sandbox), happens(acme.sandbox)

    assert deliver_due() == 2  # the first failed and waits for its next attempt
    assert ids(receiver) == [first, second]
    later()
    deliver_due()

    assert ids(receiver) == [first, second, first]


def test_a_worker_that_died_holds_the_next_until_its_lease_ends(acme: Shop, hook: Hook) -> None:
    first, second = happens(acme.sandbox), happens(acme.sandbox)
    assert claimed() == [first]
    assert claimed() == []

    Delivery.objects.filter(event_id=first).update(leased_until=utcnow())

    assert claimed() == [first, second]


def test_each_endpoint_has_an_order_of_its_own(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    first, second = happens(acme.sandbox), happens(acme.sandbox)
    Delivery.objects.filter(event_id=first).update(next_attempt_at=utcnow().replace(year=2099))

    with listening() as well:
        registered(api, well.url)
        third, fourth = happens(acme.sandbox), happens(acme.sandbox)
        deliver_due()

    assert (ids(receiver), ids(well)) == ([], [third, fourth])
    assert Delivery.objects.get(event_id=second).attempts == 0


def test_what_the_endpoint_does_not_want_holds_nothing(api: Api, acme: Shop, receiver: Receiver) -> None:
    registered(api, receiver.url, ["payment.paid"])
    happens(acme.sandbox, "payment.updated")
    wanted = happens(acme.sandbox, "payment.paid")

    deliver_due()

    assert ids(receiver) == [wanted]


def test_what_was_missed_is_told_in_order(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    hook.change({"status": "INACTIVE"})
    missed = [happens(acme.sandbox) for _ in range(4)]
    hook.change({"status": "ACTIVE"})
    assert hook.post("replays", {"objectId": "pay_x"}).json()["data"]["queued"] == 4

    since = happens(acme.sandbox)
    deliver_due()

    assert ids(receiver) == [*missed, since]


def test_tests_wait_for_nothing(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    first = happens(acme.sandbox)
    Delivery.objects.filter(event_id=first).update(next_attempt_at=utcnow().replace(year=2099))

    hook.post("tests")

    assert (deliver_due(), receiver.types) == (1, ["webhook.test"])
