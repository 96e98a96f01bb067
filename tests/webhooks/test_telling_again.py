"""What was told, or could not be told, is told again on request: the same event, once for each request."""

import json
import time
import uuid
from typing import Any

import pytest

from accounts.base.clock import utcnow
from accounts.base.wire import timestamp
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Receiver
from tests.support.webhooks import NO_DELIVERY, NO_ENDPOINT, OFF, Hook, happens, later, outcome, registered, will_fail
from webhooks.dispatch import deliver_due
from webhooks.models import Delivery, Event

UNKNOWN_DELIVERY = "dlv_01KAGTW3Q8XJ5V0N2B7R4C9DLV"


def again(hook: Hook, delivery: str, key: str | None = None) -> Any:
    return hook.post(f"deliveries/{delivery}/redeliveries", key=key)


def replayed(hook: Hook, **filters: Any) -> tuple[int, int, bool]:
    answer = hook.post("replays", filters)
    assert outcome(answer) == (201, "ONP201"), answer.content
    data = answer.json()["data"]
    return data["matched"], data["queued"], data["dryRun"]


def an_instant() -> str:
    """A moment strictly between what happened and what will happen."""
    time.sleep(0.004)
    between = timestamp(utcnow())
    time.sleep(0.004)
    return between


def payments_of(receiver: Receiver) -> list[str]:
    return [json.loads(one.body)["data"]["id"] for one in receiver.received]


# The deliveries


def test_deliveries_are_listed_newest_first_with_their_last_result(
    api: Api, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    receiver.will_answer(503)
    paid = a_payment(acme.sandbox, "PAID")
    deliver_due()
    failed = a_payment(acme.sandbox, "FAILED")
    deliver_due()

    newest, oldest = hook.deliveries()

    assert (newest["eventType"], newest["objectId"], newest["status"]) == ("payment.failed", failed.id, "DELIVERED")
    assert (newest["attempts"], newest["httpStatus"], newest["error"], newest["nextAttemptAt"]) == (1, 200, None, None)
    assert (oldest["eventType"], oldest["objectId"], oldest["status"]) == ("payment.paid", paid.id, "PENDING")
    assert (oldest["attempts"], oldest["httpStatus"], oldest["deliveredAt"]) == (1, 503, None)
    assert [one["id"] for one in hook.deliveries(status="PENDING")] == [oldest["id"]]
    assert [one["id"] for one in hook.deliveries(eventType="payment.failed")] == [newest["id"]]
    assert hook.deliveries(status="DELIVERED", eventType="payment.paid") == []
    page = api.get(f"{hook.path}/deliveries", pageNumber=2, pageSize=1).json()
    assert ([one["id"] for one in page["data"]], page["pagination"]["totalAvailable"]) == ([oldest["id"]], 2)


@pytest.mark.parametrize("query", [{"status": "LOST"}, {"status": "pending"}, {"eventType": "x" * 41}])
def test_a_wrong_filter_of_deliveries_is_refused(api: Api, hook: Hook, query: dict[str, str]) -> None:
    refused = api.get(f"{hook.path}/deliveries", **query)

    assert (outcome(refused), refused.json()["error"]["field"]) == ((400, "ONP400_FILTER"), next(iter(query)))


def test_a_delivery_shows_every_try(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    will_fail(receiver, 2)
    a_payment(acme.sandbox, "PAID")
    for _ in range(3):
        later()
        deliver_due()

    [listed] = hook.deliveries()
    shown = api.get(f"{hook.path}/deliveries/{listed['id']}").json()["data"]

    assert {name: shown[name] for name in listed} == listed
    assert [(one["number"], one["httpStatus"]) for one in shown["tries"]] == [(1, 500), (2, 500), (3, 200)]
    assert shown["tries"][0]["startedAt"] <= shown["tries"][1]["startedAt"] <= shown["tries"][2]["startedAt"]


# Once more


def test_a_redelivery_is_the_same_event_as_a_new_delivery(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    [first] = hook.deliveries()

    answer = again(hook, first["id"])

    assert outcome(answer) == (201, "ONP201")
    second = answer.json()["data"]
    assert second["id"] != first["id"]
    same = ("eventId", "eventType", "objectId")
    assert [second[name] for name in same] == [first[name] for name in same]
    assert (second["status"], second["attempts"], second["httpStatus"]) == ("PENDING", 0, None)
    assert deliver_due() == 1
    told, told_again = receiver.received
    assert (told_again.body, told_again.headers["webhook-id"]) == (told.body, first["eventId"])
    assert (told_again.headers["x-onpay-delivery"], told_again.headers["x-onpay-attempt"]) == (second["id"], "1")
    assert (len(hook.deliveries(status="DELIVERED")), Event.objects.count()) == (2, 1)


def test_a_redelivery_is_tried_again_like_any_other(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    will_fail(receiver, 10)
    again(hook, hook.deliveries()[0]["id"])

    for _ in range(11):
        later()
        deliver_due()

    assert len(receiver.received) == 11
    assert sorted((one["status"], one["attempts"]) for one in hook.deliveries()) == [("DELIVERED", 1), ("FAILED", 10)]


def test_a_test_is_tried_once_also_when_it_is_sent_again(hook: Hook, receiver: Receiver) -> None:
    will_fail(receiver, 2)
    first = hook.post("tests").json()["data"]
    deliver_due()

    again(hook, first["id"])
    deliver_due()
    later()

    assert (deliver_due(), len(receiver.received)) == (0, 2)
    assert [one["status"] for one in hook.deliveries()] == ["FAILED"] * 2


def test_a_repeated_request_redelivers_once(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    [first], key = hook.deliveries(), str(uuid.uuid4())

    one, two = again(hook, first["id"], key), again(hook, first["id"], key)

    assert (two.content, two["Idempotent-Replayed"]) == (one.content, "true")
    assert (deliver_due(), Delivery.objects.count()) == (1, 2)
    assert (outcome(again(hook, first["id"])), deliver_due()) == ((201, "ONP201"), 1)


def test_only_deliveries_of_that_endpoint_are_known_there(
    api: Api, globex_api: Api, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    other, theirs = registered(api, receiver.url, ["refund.created"]), registered(globex_api, receiver.url)
    a_payment(acme.sandbox, "PAID")
    [mine] = hook.deliveries()

    for stranger, refusal in (
        (other, NO_DELIVERY),
        (theirs, NO_DELIVERY),
        (Hook(globex_api, hook.id, ""), NO_ENDPOINT),
    ):
        assert outcome(again(stranger, mine["id"])) == refusal
        assert outcome(stranger.api.get(f"{stranger.path}/deliveries/{mine['id']}")) == refusal
    assert outcome(again(hook, UNKNOWN_DELIVERY)) == outcome(again(hook, "x")) == NO_DELIVERY
    assert Delivery.objects.count() == 1


def test_an_endpoint_that_is_off_is_told_nothing_again(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    [first], key = hook.deliveries(), str(uuid.uuid4())
    hook.change({"status": "INACTIVE"})

    assert outcome(again(hook, first["id"], key)) == outcome(hook.post("replays")) == OFF
    assert outcome(hook.post("replays", {"dryRun": True})) == OFF
    assert Delivery.objects.count() == 1

    hook.change({"status": "ACTIVE"})
    assert outcome(again(hook, first["id"], key)) == OFF  # the answer of that key for ever
    assert (Delivery.objects.count(), outcome(again(hook, first["id"]))) == (1, (201, "ONP201"))


# By filter


def test_what_happened_while_it_was_off_is_told_in_order(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    before = a_payment(acme.sandbox, "PAID").id
    deliver_due()
    hook.change({"status": "INACTIVE"})
    missed = [a_payment(acme.sandbox, "PAID").id for _ in range(3)]
    hook.change({"status": "ACTIVE"})

    assert replayed(hook, lastStatus="NONE") == (3, 3, False)
    assert deliver_due() == 3

    assert (payments_of(receiver)[:1], sorted(payments_of(receiver)[1:])) == ([before], sorted(missed))
    assert replayed(hook, lastStatus="NONE") == (0, 0, False)


def test_each_filter_matches_what_it_says(acme: Shop, api: Api, receiver: Receiver) -> None:
    early = a_payment(acme.sandbox, "PAID").id  # before anybody listened
    start = an_instant()
    hook = registered(api, receiver.url, ["payment.paid", "payment.failed"])
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    middle = an_instant()
    a_payment(acme.sandbox, "EXPIRED")  # not wanted
    receiver.will_answer(500)
    a_payment(acme.sandbox, "FAILED")
    Delivery.objects.filter(status="PENDING").update(attempts=9)
    deliver_due()

    for filters, matched in [
        ({}, 3),
        ({"type": "payment.paid"}, 2),
        ({"type": "payment.expired"}, 0),
        ({"objectId": early}, 1),
        ({"objectId": "pay_x"}, 0),
        ({"createdFrom": start}, 2),
        ({"createdTo": start}, 1),
        ({"createdFrom": start, "createdTo": middle}, 1),
        ({"createdFrom": middle, "createdTo": start}, 0),
        ({"lastStatus": "DELIVERED"}, 1),
        ({"lastStatus": "FAILED"}, 1),
        ({"lastStatus": "CANCELED"}, 0),
        ({"lastStatus": "NONE"}, 1),
        ({"lastStatus": "DELIVERED", "type": "payment.failed"}, 0),
        ({"lastStatus": "FAILED", "createdFrom": middle, "type": "payment.failed"}, 1),
    ]:
        assert (filters, replayed(hook, dryRun=True, **filters)) == (filters, (matched, 0, True))
    assert Delivery.objects.count() == 2
    assert replayed(hook, lastStatus="FAILED") == (1, 1, False)
    assert (deliver_due(), replayed(hook, lastStatus="FAILED")) == (1, (0, 0, False))  # the last one arrived


@pytest.mark.parametrize(
    "filters",
    [
        {"type": 5},
        {"objectId": 5},
        {"createdFrom": "yesterday"},
        {"createdTo": 5},
        {"lastStatus": "PENDING"},
        {"lastStatus": "none"},
        {"dryRun": "yes"},
    ],
)
def test_a_wrong_filter_is_refused_and_queues_nothing(acme: Shop, hook: Hook, filters: dict[str, Any]) -> None:
    a_payment(acme.sandbox, "PAID")
    deliver_due()

    refused = hook.post("replays", filters)

    assert (refused.status_code, refused.json()["error"]["field"]) == (400, next(iter(filters)))
    assert Delivery.objects.count() == 1


def test_what_is_on_its_way_already_is_not_queued_again(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    waiting = a_payment(acme.sandbox, "PAID").id

    assert replayed(hook)[1] == 1
    assert replayed(hook)[1] == 0

    assert (deliver_due(), payments_of(receiver).count(waiting)) == (2, 1)


def test_a_repeated_replay_queues_once(acme: Shop, hook: Hook) -> None:
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    key = str(uuid.uuid4())

    first = hook.post("replays", {}, key=key)
    deliver_due()

    assert hook.post("replays", {}, key=key).content == first.content
    assert (deliver_due(), Delivery.objects.count()) == (0, 2)


def test_a_test_is_never_replayed_to_another_endpoint(api: Api, hook: Hook, receiver: Receiver) -> None:
    hook.post("tests")
    deliver_due()

    assert replayed(registered(api, receiver.url)) == (0, 0, False)


def test_a_replay_tells_nothing_of_others(acme: Shop, globex: Shop, hook: Hook) -> None:
    for merchant in (globex.sandbox, globex.production, acme.production):
        happens(merchant)

    assert replayed(hook) == (0, 0, False)
