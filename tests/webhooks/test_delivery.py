"""Events arrive: signed, once where the receiver is well, again where it is not."""

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest
from standardwebhooks import Webhook

from accounts.base.clock import utcnow
from accounts.models import Merchant
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from tests.support.receiver import Receiver, listening
from tests.support.webhooks import happens
from webhooks import queue
from webhooks.dispatch import deliver_due
from webhooks.models import Attempt, Delivery, Endpoint, Event


@pytest.fixture
def receiver(settings: object) -> Iterator[Receiver]:
    settings.LOCAL = True  # type: ignore[attr-defined]
    with listening() as found:
        yield found


@pytest.fixture
def secret(api: Api, receiver: Receiver) -> str:
    """The secret of acme's endpoint, which wants everything."""
    registered = api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
    assert registered.status_code == 201, registered.content
    return str(registered.json()["data"]["secret"])


def make_due() -> None:
    Endpoint.objects.update(open_until=None)
    Delivery.objects.filter(status="PENDING").update(next_attempt_at=utcnow(), leased_until=None)


def test_the_official_library_accepts_what_arrives(api: Api, acme: Shop, receiver: Receiver, secret: str) -> None:
    payment = api.post("/payments", pix()).json()["data"]
    paid = api.post(f"/simulations/payments/{payment['id']}", {"status": "PAID"}).json()["data"]

    assert deliver_due() == 1

    (arrived,) = receiver.received
    event = Webhook(secret).verify(arrived.body, arrived.headers)
    assert event["type"] == "payment.paid"
    assert event["data"] == paid
    assert (event["apiVersion"], event["environment"], event["companyId"]) == ("v2", "SANDBOX", acme.company.id)
    assert event["id"] == arrived.headers["webhook-id"]
    assert arrived.headers["x-onpay-event"] == "payment.paid"
    assert arrived.headers["x-onpay-attempt"] == "1"
    assert arrived.headers["content-type"] == "application/json"
    plain = hmac.new(secret.encode(), arrived.body, hashlib.sha256).hexdigest()
    assert arrived.headers["x-onpay-signature"] == f"sha256={plain}"
    assert deliver_due() == 0


def test_a_failure_is_tried_again_with_the_same_event_and_body(acme: Shop, receiver: Receiver, secret: str) -> None:
    receiver.will_answer(500)
    a_payment(acme.sandbox, "PAID")

    deliver_due()
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.attempts, delivery.http_status) == ("PENDING", 1, 500)
    wait = delivery.next_attempt_at - utcnow()
    assert timedelta(seconds=3.5) < wait < timedelta(seconds=5.6)
    make_due()
    deliver_due()

    first, second = receiver.received
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert second.headers["x-onpay-attempt"] == "2"
    delivery.refresh_from_db()
    assert (delivery.status, delivery.attempts, delivery.next_attempt_at) == ("DELIVERED", 2, None)
    assert list(Attempt.objects.order_by("number").values_list("number", "http_status")) == [(1, 500), (2, 200)]


def test_after_ten_attempts_a_delivery_has_failed(acme: Shop, receiver: Receiver, secret: str) -> None:
    a_payment(acme.sandbox, "PAID")
    for _ in range(10):
        receiver.will_answer(500)
        make_due()
        deliver_due()

    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.attempts) == ("FAILED", 10)
    make_due()
    assert deliver_due() == 0
    assert Attempt.objects.count() == 10


def test_a_receiver_that_asks_for_time_gets_it(acme: Shop, receiver: Receiver, secret: str) -> None:
    receiver.will_answer(503, retry_after="600")
    a_payment(acme.sandbox, "PAID")

    deliver_due()

    wait = Delivery.objects.get().next_attempt_at - utcnow()
    assert timedelta(seconds=590) < wait <= timedelta(seconds=601)


def test_gone_means_gone_and_the_rest_waits(acme: Shop, receiver: Receiver, secret: str) -> None:
    receiver.will_answer(410)
    a_payment(acme.sandbox, "PAID")
    deliver_due()

    endpoint = Endpoint.objects.get()
    assert (endpoint.status, endpoint.disabled_reason) == ("DISABLED", "GONE")
    a_payment(acme.sandbox, "PAID")
    make_due()
    assert deliver_due() == 0
    assert Event.objects.count() == 2
    assert Delivery.objects.count() == 1


def test_a_redirect_is_a_failure(acme: Shop, receiver: Receiver, secret: str) -> None:
    receiver.will_answer(302, location=receiver.url)
    a_payment(acme.sandbox, "PAID")

    deliver_due()

    assert len(receiver.received) == 1
    assert Delivery.objects.get().status == "PENDING"


def test_only_the_kinds_that_were_asked_for_arrive(api: Api, acme: Shop, receiver: Receiver) -> None:
    api.post("/webhooks", {"url": receiver.url, "events": ["payment.expired", "payment.failed"]})
    for status in ("PAID", "FAILED", "EXPIRED"):
        a_payment(acme.sandbox, status)

    deliver_due()

    assert sorted(receiver.types) == ["payment.expired", "payment.failed"]


def test_nobody_is_told_what_happens_to_others(acme: Shop, globex: Shop, receiver: Receiver, secret: str) -> None:
    a_payment(globex.sandbox, "PAID")

    assert deliver_due() == 0
    assert receiver.received == []


def test_a_late_result_of_a_worker_taken_for_dead_changes_nothing(acme: Shop, receiver: Receiver, secret: str) -> None:
    from webhooks.client import AttemptResponse

    a_payment(acme.sandbox, "PAID")
    (late,) = queue.claim(10)
    assert queue.claim(10) == []
    make_due()
    (taken_over,) = queue.claim(10)
    success = AttemptResponse(status=200, error=None, retry_after=None, excerpt="", elapsed_ms=1)
    failure = AttemptResponse(status=500, error=None, retry_after=None, excerpt="", elapsed_ms=1)

    queue.record([queue.Tried(taken_over, utcnow(), success)])
    queue.record([queue.Tried(late, utcnow(), failure)])

    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.http_status) == ("DELIVERED", 200)
    assert Attempt.objects.count() == 2


def test_one_endpoint_never_has_more_than_its_share_in_hand(acme: Shop, receiver: Receiver, secret: str) -> None:
    for _ in range(queue.AT_ONCE + 3):
        a_payment(acme.sandbox, "PAID")

    assert len(queue.claim(100)) == queue.AT_ONCE
    assert queue.claim(100) == []


def test_a_production_endpoint_is_never_called_on_loopback(acme: Shop, receiver: Receiver) -> None:
    from webhooks import services
    from webhooks.outbox import emit

    assert services.url_faults(acme.production, receiver.url)
    services.register(acme.production, receiver.url, ["*"], None)  # as if it had become one later
    emit(acme.production, "payment.paid", "pay_x", {"id": "pay_x"}, utcnow())

    deliver_due()

    assert receiver.received == []
    assert Delivery.objects.get().error == "FORBIDDEN_ADDRESS"


def test_secrets_are_sealed_at_rest(acme: Shop, secret: str) -> None:
    stored = bytes(Endpoint.objects.get().sealed_secret)
    assert secret.encode() not in stored


def test_the_body_is_fixed_when_it_happens(acme: Shop, receiver: Receiver, secret: str) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    before = bytes(Event.objects.get().body)
    Merchant.objects.filter(pk=acme.sandbox.pk).update(card_integration_mode="HOSTED")

    deliver_due()

    assert receiver.received[0].body == before
    assert json.loads(before)["data"]["id"] == payment.id


def test_an_endpoint_whose_secret_cannot_be_opened_stops_nobody_else(
    acme: Shop, globex: Shop, globex_api: Api, receiver: Receiver, secret: str
) -> None:
    globex_api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
    Endpoint.objects.filter(merchant=acme.sandbox).update(sealed_secret=b"sealed with a key that was lost")
    a_payment(acme.sandbox, "PAID")
    theirs = a_payment(globex.sandbox, "PAID")

    deliver_due()

    assert [json.loads(one.body)["data"]["id"] for one in receiver.received] == [theirs.id]
    lost = Delivery.objects.get(endpoint__merchant=acme.sandbox)
    assert (lost.status, lost.attempts, lost.error) == ("PENDING", 1, "UNFORESEEN")


def test_a_merchant_with_many_endpoints_leaves_room_for_the_others(
    acme: Shop, globex: Shop, globex_api: Api, api: Api, receiver: Receiver
) -> None:
    for _ in range(20):
        api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
    globex_api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
    Endpoint.objects.update(last_success_at=utcnow())
    share = queue.IN_HAND_OF_MERCHANT // 20
    for _ in range(share + 1):
        a_payment(acme.sandbox, "PAID")
    theirs = a_payment(globex.sandbox, "PAID")

    first = queue.claim(4)
    rest = queue.claim(queue.IN_HAND_OF_MERCHANT * 2)

    assert theirs.id in {json.loads(one.body)["data"]["id"] for one in first}
    claimed = Counter(one.endpoint_id for one in first + rest)
    assert sorted(claimed.values()) == [1] + [share] * 20


def test_an_endpoint_that_is_well_shares_nothing_with_those_that_fail(acme: Shop, api: Api, receiver: Receiver) -> None:
    for _ in range(5):
        api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
    Endpoint.objects.update(last_success_at=utcnow())
    well, *failing = Endpoint.objects.values_list("pk", flat=True)
    Endpoint.objects.filter(pk__in=failing).update(failures=1)
    for n in range(queue.IN_HAND_IF_QUICK + 1):
        happens(acme.sandbox, object_id=f"pay_{n}")

    claimed = Counter(one.endpoint_id for one in queue.claim(queue.IN_HAND_OF_MERCHANT))
    assert claimed == {well: queue.IN_HAND} | dict.fromkeys(failing, queue.AT_ONCE)

    claimed += Counter(one.endpoint_id for one in queue.claim(queue.IN_HAND_OF_MERCHANT, quick=[well]))
    assert claimed == {well: queue.IN_HAND_IF_QUICK} | dict.fromkeys(failing, queue.AT_ONCE)
