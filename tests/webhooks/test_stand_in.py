"""Web, worker and beat alone are a whole installation: the timetable delivers while no dispatcher is alive."""

import asyncio
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection

from accounts import heartbeats
from accounts.base.clock import utcnow
from accounts.models import Heartbeat
from gateway.celery import app
from tests.support.companies import Shop
from tests.support.receiver import Receiver
from tests.support.webhooks import Hook, happens, will_fail
from webhooks import dispatch, queue, tasks
from webhooks.dispatch import Dispatcher
from webhooks.models import Delivery, Endpoint

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_in_the_timetable() -> None:
    entry = app.conf.beat_schedule["deliver-webhooks"]
    assert (entry["task"], entry["schedule"]) == (tasks.deliver_webhooks.name, timedelta(seconds=1))


def test_what_is_due_is_delivered_without_a_dispatcher(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    events = {happens(acme.sandbox, object_id=f"pay_{n}") for n in range(100)}

    tasks.deliver_webhooks()

    assert {one.headers["webhook-id"] for one in receiver.received} == events
    assert set(Delivery.objects.values_list("status", "attempts")) == {("DELIVERED", 1)}
    assert not Heartbeat.objects.exists()  # its turn is over


def test_a_dispatcher_that_is_alive_is_left_its_work(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    happens(acme.sandbox)
    heartbeats.beat(dispatch.DISPATCHER)

    tasks.deliver_webhooks()
    assert receiver.received == []

    Heartbeat.objects.update(beat_at=utcnow() - timedelta(seconds=31))
    tasks.deliver_webhooks()
    assert len(receiver.received) == 1


def test_one_worker_at_a_time_and_one_that_died_is_not_waited_for(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    happens(acme.sandbox)
    heartbeats.beat(dispatch.STAND_IN)

    tasks.deliver_webhooks()
    assert receiver.received == []

    Heartbeat.objects.update(beat_at=utcnow() - timedelta(seconds=16))
    tasks.deliver_webhooks()
    assert len(receiver.received) == 1


def test_what_another_has_in_hand_is_not_sent(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    happens(acme.sandbox)
    assert len(queue.claim(10)) == 1

    tasks.deliver_webhooks()

    assert receiver.received == []


def test_an_endpoint_that_fails_is_called_no_more_often_than_by_a_dispatcher(
    acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    will_fail(receiver, 100)
    for n in range(60):
        happens(acme.sandbox, object_id=f"pay_{n}")

    tasks.deliver_webhooks()

    assert len(receiver.received) <= queue.AT_ONCE + queue.OPENS_AT
    assert Endpoint.objects.get().open_until is not None
    assert not Delivery.objects.filter(leased_until__isnull=False).exists()


def test_a_turn_ends_though_there_is_always_more(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    over = threading.Event()

    def announce() -> None:
        while not over.is_set():
            happens(acme.sandbox)
        connection.close()

    busy = threading.Thread(target=announce)
    busy.start()
    give_up = time.monotonic() + 60
    while not Delivery.objects.filter(status="DELIVERED").exists() and time.monotonic() < give_up:
        asyncio.run(Dispatcher().run_for(1.0))  # on a busy machine nothing may be delivered in one turn
    over.set()
    busy.join()

    assert Delivery.objects.filter(status="PENDING").exists()
    assert not Delivery.objects.filter(leased_until__isnull=False).exists()
    assert Delivery.objects.filter(status="DELIVERED").count() == len(receiver.received) > 0


def test_a_dispatcher_that_is_told_to_stop_is_replaced_at_once(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    stop = asyncio.Event()

    async def for_a_moment() -> None:
        running = asyncio.create_task(Dispatcher().run(stop))
        await asyncio.sleep(0.5)
        stop.set()
        await running

    thread = threading.Thread(target=asyncio.run, args=(for_a_moment(),))
    thread.start()
    deadline = time.monotonic() + 5
    while not heartbeats.is_alive(dispatch.DISPATCHER) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert heartbeats.is_alive(dispatch.DISPATCHER)
    thread.join()
    happens(acme.sandbox)

    tasks.deliver_webhooks()

    assert len(receiver.received) == 1
