"""What somebody asks for is tried at once, also at an endpoint that is left alone, and a success ends the wait."""

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.base.clock import utcnow
from accounts.models import Email
from accounts.roles import Role
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in_twice
from tests.support.receiver import Receiver
from tests.support.webhooks import Hook, fails_in_a_row, happens
from webhooks.dispatch import deliver_due
from webhooks.health import health
from webhooks.models import Delivery, Endpoint


@pytest.fixture
def left_alone(acme: Shop, hook: Hook, receiver: Receiver) -> Hook:
    """Five failures in a row: nothing is sent for half a minute."""
    fails_in_a_row(acme, receiver, 5)
    Delivery.objects.update(next_attempt_at=utcnow())
    assert deliver_due() == 0
    return hook


def test_a_test_passes_an_open_breaker_and_its_success_closes_it(left_alone: Hook, receiver: Receiver) -> None:
    assert left_alone.post("tests").status_code == 201
    deliver_due()

    assert receiver.received[5].headers["x-onpay-event"] == "webhook.test"
    assert (left_alone.row().open_until, left_alone.row().failures) == (None, 0)
    assert {one["status"] for one in left_alone.deliveries()} == {"DELIVERED"}


def test_a_manual_resend_passes_an_open_breaker(left_alone: Hook, receiver: Receiver) -> None:
    oldest = left_alone.deliveries()[-1]

    again = left_alone.post(f"deliveries/{oldest['id']}/redeliveries")

    assert again.status_code == 201, again.content
    deliver_due()
    assert receiver.received[5].headers["x-onpay-delivery"] == again.json()["data"]["id"]
    assert left_alone.row().open_until is None


def test_a_resend_that_fails_waits_like_every_other(left_alone: Hook, receiver: Receiver) -> None:
    until, oldest = left_alone.row().open_until, left_alone.deliveries()[-1]
    receiver.will_answer(500)
    again = left_alone.post(f"deliveries/{oldest['id']}/redeliveries").json()["data"]["id"]

    assert deliver_due() == 1

    Delivery.objects.update(next_attempt_at=utcnow())
    assert (deliver_due(), left_alone.row().open_until) == (0, until)
    assert Delivery.objects.get(pk=again).attempts == 1


def test_a_test_that_fails_leaves_the_pause_as_it_is(left_alone: Hook, receiver: Receiver) -> None:
    until = left_alone.row().open_until
    receiver.will_answer(500)
    left_alone.post("tests")

    assert (deliver_due(), deliver_due()) == (1, 0)

    assert (left_alone.row().open_until, left_alone.row().pauses) == (until, 1)


def test_a_resend_waits_for_no_earlier_event_of_its_object(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    happens(acme.sandbox, object_id="pay_1")
    deliver_due()
    first = hook.deliveries()[0]
    fails_in_a_row(acme, receiver, 5)
    happens(acme.sandbox, object_id="pay_1")

    again = hook.post(f"deliveries/{first['id']}/redeliveries").json()["data"]["id"]
    deliver_due()

    assert receiver.received[6].headers["x-onpay-delivery"] == again


def test_a_bulk_replay_waits_for_the_endpoint(left_alone: Hook, acme: Shop, receiver: Receiver) -> None:
    Delivery.objects.update(status="FAILED", next_attempt_at=None)

    left_alone.post("replays", {"dryRun": False})

    assert Delivery.objects.filter(status="PENDING").exists()
    assert (deliver_due(), len(receiver.received)) == (0, 5)


def test_the_true_next_attempt_is_said(left_alone: Hook, acme: Shop) -> None:
    until = left_alone.row().open_until
    assert until is not None
    said = {one["nextAttemptAt"] for one in left_alone.deliveries()}

    assert said == {until.isoformat(timespec="milliseconds").replace("+00:00", "Z")}
    assert health(acme.sandbox)[left_alone.id].next_attempt_at == until
    test = left_alone.post("tests").json()["data"]
    assert test["nextAttemptAt"] == test["createdAt"]


def test_the_page_says_when_and_why(left_alone: Hook, acme: Shop) -> None:
    developer = signed_in_twice(a_member(acme.company, Role.DEVELOPER))
    waiting = left_alone.deliveries()[0]["id"]

    page = page_of(developer, acme, left_alone, waiting)

    assert "The last 5 attempts at this endpoint failed" in page
    assert f"{left_alone.row().open_until:%H:%M:%S}" in page
    Endpoint.objects.update(status="INACTIVE")
    assert "When the endpoint is enabled again" in page_of(developer, acme, left_alone, waiting)


def page_of(browser: Client, shop: Shop, hook: Hook, delivery_id: str) -> str:
    where = reverse("dashboard:delivery", args=(shop.company.pk, "sandbox", hook.id, delivery_id))
    return browser.get(where).content.decode()


def test_people_are_told_once_that_an_endpoint_is_gone(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    developer = a_member(acme.company, Role.DEVELOPER)
    a_member(acme.company, Role.SUPPORT)
    for _ in range(2):
        receiver.will_answer(410)
        a_payment(acme.sandbox, "PAID")
    deliver_due()

    told = Email.objects.filter(kind="endpoint_disabled")
    assert hook.row().disabled_reason == "GONE"
    assert told.filter(recipient=developer.email).count() == 1
    assert not told.filter(recipient__startswith="support@").exists()
    assert "410 Gone" in told[0].text and hook.id in told[0].text
    assert mail.outbox == []
