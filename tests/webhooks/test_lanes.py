"""What is claimed and cannot be sent now goes back, without haste, and in time for others."""

import asyncio
from collections import Counter

import pytest
from django.db import connection

from accounts.base.clock import utcnow
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.receiver import Receiver
from tests.support.webhooks import Hook, happens, registered, will_fail
from webhooks import queue
from webhooks.dispatch import LOOK_EVERY_S, Dispatcher
from webhooks.models import Delivery, Endpoint

pytestmark = pytest.mark.django_db(transaction=True)
ENDPOINTS = 12


async def received(receiver: Receiver, many: int) -> None:
    async with asyncio.timeout(20):
        while len(receiver.received) < many:
            await asyncio.sleep(0.02)


def announced(shop: Shop, *objects: str) -> None:
    for one in objects:
        happens(shop.sandbox, object_id=one)
    connection.close()


def updated_rows() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(n_tup_upd) FROM pg_stat_user_tables WHERE relname LIKE 'webhooks_delivery%'")
        return int(cursor.fetchone()[0])


def test_what_goes_back_while_attempts_hang_is_not_claimed_again_without_rest(
    api: Api, acme: Shop, receiver: Receiver
) -> None:
    """Each of the endpoints has failed once, and has not answered another attempt: nothing more is sent to it."""
    hangs_s = 4.0
    for _ in range(ENDPOINTS):
        registered(api, receiver.url)
    happens(acme.sandbox, object_id="pay_hangs")

    async def deliver() -> None:
        receiver.takes_s = hangs_s
        running = asyncio.create_task(Dispatcher().run_for(hangs_s))
        await received(receiver, ENDPOINTS)
        receiver.takes_s = 0
        will_fail(receiver, ENDPOINTS)
        await asyncio.to_thread(announced, acme, "pay_fails")
        await received(receiver, 2 * ENDPOINTS)
        await asyncio.to_thread(announced, acme, *(f"pay_{n}" for n in range(queue.AT_ONCE)))
        await running

    before = updated_rows()
    asyncio.run(deliver())

    in_a_round = ENDPOINTS * (queue.AT_ONCE - 1)
    assert (updated_rows() - before) / (2 * in_a_round) < hangs_s / LOOK_EVERY_S + 10


def test_who_is_told_to_stop_begins_no_other_attempt_and_gives_back_the_rest(
    acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    Endpoint.objects.update(last_success_at=utcnow())
    announced(acme, *(f"pay_{n}" for n in range(8 * queue.AT_ONCE)))
    receiver.takes_s = 1.0

    async def for_a_moment() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(Dispatcher().run(stop))
        await received(receiver, queue.AT_ONCE)
        stop.set()
        await running

    asyncio.run(for_a_moment())

    sent = len(receiver.received)
    assert sent <= 2 * queue.AT_ONCE
    deliveries = Counter(Delivery.objects.values_list("status", "attempts", "leased_until"))
    assert deliveries == {("DELIVERED", 1, None): sent, ("PENDING", 0, None): 8 * queue.AT_ONCE - sent}
