"""An endpoint is changed, switched off and on, tested and deleted; what waits follows it."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.base.clock import utcnow
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Receiver, listening
from tests.support.webhooks import NO_ENDPOINT, OFF, Hook, later, outcome, registered, will_fail
from webhooks import queue
from webhooks.client import AttemptResponse
from webhooks.dispatch import deliver_due
from webhooks.models import Delivery, Endpoint, Event

ELSEWHERE = "https://1.1.1.1/hooks"
SUCCESS = AttemptResponse(status=200, error=None, retry_after=None, excerpt="", elapsed_ms=1)
FAILURE = AttemptResponse(status=500, error=None, retry_after=None, excerpt="", elapsed_ms=1)


# Changes


def test_the_secret_is_shown_once(api: Api, hook: Hook) -> None:
    shown = [hook.shown(), hook.change({"description": "x"}).json()["data"], *api.get("/webhooks").json()["data"]]

    assert [set(one) for one in shown] == [
        {"id", "url", "events", "status", "description", "disabledReason", "lastDeliveryAt", "lastSuccessAt"}
        | {"previousSecretExpiresAt", "createdAt", "updatedAt"}
    ] * 3


@pytest.mark.parametrize(
    "change",
    [
        {"url": ELSEWHERE},
        {"events": ["payment.paid", "refund.created"]},
        {"events": ["*"]},
        {"status": "INACTIVE"},
        {"status": "ACTIVE"},
        {"description": "The new shop"},
        {"description": None},
        {"url": ELSEWHERE, "events": ["payment.paid"], "status": "INACTIVE", "description": "Everything"},
    ],
)
def test_a_change_changes_what_it_names_and_nothing_else(hook: Hook, change: dict[str, Any]) -> None:
    hook.change({"description": "The shop"})
    before = hook.shown()

    answer = hook.change(change)

    assert outcome(answer) == (200, "ONP200")
    changed = answer.json()["data"]
    assert changed == before | change | {"updatedAt": changed["updatedAt"]}
    assert changed["updatedAt"] >= before["updatedAt"]
    assert hook.shown() == changed


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({}, "ONP400_VALIDATION", None),
        ({"colour": "red"}, "ONP400_VALIDATION", None),
        ({"url": "ftp://1.1.1.1/hooks"}, "ONP400_URL", "url"),
        ({"url": "https://1.1.1.1/hooks#here"}, "ONP400_URL", "url"),
        ({"url": "https://acme@1.1.1.1/hooks"}, "ONP400_URL", "url"),
        ({"url": "https://10.0.0.1/hooks"}, "ONP400_URL", "url"),
        ({"url": None}, "ONP400_URL", "url"),
        ({"events": []}, "ONP400_EVENTS", "events"),
        ({"events": None}, "ONP400_EVENTS", "events"),
        ({"events": "*"}, "ONP400_EVENTS", "events"),
        ({"events": ["payment.payed"]}, "ONP400_EVENTS", "events"),
        ({"events": ["*", "payment.paid"]}, "ONP400_EVENTS", "events"),
        ({"events": ["payment.paid", "payment.paid"]}, "ONP400_EVENTS", "events"),
        ({"status": "DISABLED"}, "ONP400_STATUS", "status"),
        ({"status": "active"}, "ONP400_STATUS", "status"),
        ({"status": None}, "ONP400_STATUS", "status"),
        ({"description": "x" * 256}, "ONP400_VALIDATION", "description"),
        ({"description": 5}, "ONP400_VALIDATION", "description"),
        ({"description": "Right", "status": "DISABLED"}, "ONP400_STATUS", "status"),
    ],
)
def test_a_wrong_change_is_refused_and_moves_nothing(
    hook: Hook, change: dict[str, Any], code: str, field: str | None
) -> None:
    before = hook.shown()

    refused = hook.change(change)

    assert outcome(refused) == (400, code)
    assert field in (None, refused.json()["error"]["field"])
    assert hook.shown() == before


def test_what_waits_goes_to_the_new_address(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    a_payment(acme.sandbox, "PAID")

    with listening() as moved:
        hook.change({"url": moved.url})
        deliver_due()

    assert (receiver.types, moved.types) == ([], ["payment.paid"])


def test_narrowed_events_count_from_then_on(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    hook.change({"events": ["payment.failed"]})

    for status in ("PAID", "FAILED"):
        a_payment(acme.sandbox, status)
    deliver_due()

    assert receiver.types == ["payment.failed"]


# Off and on


def test_what_happens_while_it_is_off_is_recorded_and_not_queued(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    hook.change({"status": "INACTIVE"})

    a_payment(acme.sandbox, "PAID")

    assert (Event.objects.count(), Delivery.objects.count(), deliver_due()) == (1, 0, 0)
    hook.change({"status": "ACTIVE"})
    assert (Delivery.objects.count(), deliver_due(), receiver.received) == (0, 0, [])


def test_what_waited_when_it_was_switched_off_goes_on_when_it_is_on(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    receiver.will_answer(500)
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    hook.change({"status": "INACTIVE"})
    later()

    assert (deliver_due(), len(receiver.received)) == (0, 1)

    hook.change({"status": "ACTIVE"})
    later()
    assert (deliver_due(), [one["status"] for one in hook.deliveries()]) == (1, ["DELIVERED"])


def test_an_endpoint_that_was_gone_is_switched_on_again(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    receiver.will_answer(410)
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    assert (hook.shown()["status"], hook.shown()["disabledReason"]) == ("DISABLED", "GONE")

    changed = hook.change({"status": "ACTIVE"}).json()["data"]

    assert (changed["status"], changed["disabledReason"]) == ("ACTIVE", None)
    assert (hook.row().failures, hook.row().failing_since) == (0, None)
    later()
    deliver_due()
    assert receiver.types == ["payment.paid"] * 2


def test_the_last_delivery_and_the_last_success_are_told_apart(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    receiver.will_answer(500)
    a_payment(acme.sandbox, "PAID")
    assert (hook.shown()["lastDeliveryAt"], hook.shown()["lastSuccessAt"]) == (None, None)

    deliver_due()
    failed = hook.shown()
    assert failed["lastDeliveryAt"] is not None and failed["lastSuccessAt"] is None

    later()
    deliver_due()
    assert hook.shown()["lastSuccessAt"] >= failed["lastDeliveryAt"]


def test_the_sandbox_clock_brings_retries_forward(
    api: Api, globex_api: Api, acme: Shop, globex: Shop, hook: Hook, receiver: Receiver
) -> None:
    registered(globex_api, receiver.url)
    will_fail(receiver, 2)
    for shop in (acme, globex):
        a_payment(shop.sandbox, "PAID")
    deliver_due()
    Delivery.objects.update(attempts=6, next_attempt_at=utcnow() + timedelta(hours=10))

    api.post("/simulations/clock", {"advanceBy": "PT9H"})
    assert deliver_due() == 0
    api.post("/simulations/clock", {"advanceBy": "PT1H1M"})

    assert deliver_due() == 1
    assert [one["status"] for one in hook.deliveries()] == ["DELIVERED"]
    assert Delivery.objects.get(endpoint__merchant=globex.sandbox).status == "PENDING"


# Tests


def test_a_test_arrives_whatever_the_endpoint_wants(api: Api, receiver: Receiver) -> None:
    hook = registered(api, receiver.url, ["payment.paid"])

    answer = hook.post("tests")

    assert outcome(answer) == (201, "ONP201")
    test = answer.json()["data"]
    assert (test["eventType"], test["status"], test["attempts"]) == ("webhook.test", "PENDING", 0)
    assert deliver_due() == 1
    [arrived] = receiver.received
    assert (arrived.headers["x-onpay-event"], arrived.headers["x-onpay-delivery"]) == ("webhook.test", test["id"])
    assert [one["status"] for one in hook.deliveries()] == ["DELIVERED"]


def test_a_test_reaches_no_other_endpoint(api: Api, hook: Hook, receiver: Receiver) -> None:
    other = registered(api, receiver.url)

    hook.post("tests")

    assert (len(hook.deliveries()), other.deliveries(), deliver_due()) == (1, [], 1)


def test_a_test_is_tried_once(hook: Hook, receiver: Receiver) -> None:
    receiver.will_answer(500)
    hook.post("tests")

    deliver_due()
    later()

    assert deliver_due() == 0
    [test] = hook.deliveries()
    assert (test["status"], test["attempts"], test["httpStatus"], test["nextAttemptAt"]) == ("FAILED", 1, 500, None)


def test_an_endpoint_that_is_off_is_not_tested(hook: Hook) -> None:
    hook.change({"status": "INACTIVE"})

    assert outcome(hook.post("tests")) == OFF
    assert (Event.objects.count(), Delivery.objects.count()) == (0, 0)


# The end


def test_a_deleted_endpoint_is_gone_everywhere(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    a_payment(acme.sandbox, "PAID")
    [delivery] = hook.deliveries()

    answer = hook.delete()

    assert (outcome(answer), answer.json()["data"]) == ((200, "ONP200"), {"id": hook.id, "deleted": True})
    assert answer.json()["onpayDescription"] == "Webhook deleted."
    later_answers = [
        hook.delete(),
        hook.change({"status": "ACTIVE"}),
        api.get(hook.path),
        api.get(f"{hook.path}/deliveries"),
        api.get(f"{hook.path}/deliveries/{delivery['id']}"),
        hook.post(f"deliveries/{delivery['id']}/redeliveries"),
        hook.post("secret-rotations", {"overlapHours": 0}),
        hook.post("tests"),
        hook.post("replays"),
        hook.post("verifications", {"headers": {}, "body": ""}),
    ]
    assert [outcome(one) for one in later_answers] == [NO_ENDPOINT] * len(later_answers)
    assert api.get("/webhooks").json()["data"] == []


def test_what_waited_for_a_deleted_endpoint_is_canceled(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    a_payment(acme.sandbox, "PAID")
    deliver_due()
    a_payment(acme.sandbox, "PAID")

    hook.delete()
    a_payment(acme.sandbox, "PAID")

    statuses = Delivery.objects.order_by("id").values_list("status", "next_attempt_at")
    assert list(statuses) == [("DELIVERED", None), ("CANCELED", None)]
    assert (deliver_due(), len(receiver.received)) == (0, 1)


@pytest.mark.parametrize("answer", [SUCCESS, FAILURE])
def test_a_delivery_in_the_air_does_not_wake_a_deleted_endpoint(
    acme: Shop, hook: Hook, answer: AttemptResponse
) -> None:
    a_payment(acme.sandbox, "PAID")
    [in_the_air] = queue.claim(10)

    hook.delete()
    queue.record([queue.Tried(in_the_air, utcnow(), answer)])

    assert Delivery.objects.get().status in ("CANCELED", "DELIVERED")
    later()
    assert (deliver_due(), Delivery.objects.filter(status="PENDING").count()) == (0, 0)


def test_a_deleted_endpoint_makes_room(api: Api, acme: Shop, address: str) -> None:
    hooks = [registered(api, ELSEWHERE) for _ in range(20)]
    body = {"url": ELSEWHERE, "events": ["*"]}
    assert outcome(api.post("/webhooks", body)) == (422, "ONP422_WEBHOOK_LIMIT")
    assert outcome(Api(acme.production_key, address).post("/webhooks", body)) == (201, "ONP201")

    hooks[0].delete()

    assert outcome(api.post("/webhooks", body)) == (201, "ONP201")
    assert Endpoint.objects.filter(merchant=acme.sandbox, deleted_at=None).count() == 20
