"""Requests that wait at the same time are answered together, each for itself."""

import asyncio
import threading
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from gateway.payments.models import Payment
from gateway.serving.batches import MOST, THREADS, Batches
from tests.support import wire
from tests.support.companies import Shop
from tests.support.web_server import Server


class Answers:
    """Answers even numbers, once it is let go."""

    def __init__(self) -> None:
        self.together: list[list[int]] = []
        self.begun, self.goes_on = threading.Semaphore(0), threading.Event()

    def __call__(self, numbers: Sequence[int]) -> list[bool]:
        self.together.append([*numbers])
        self.begun.release()
        assert self.goes_on.wait(20)
        return [number % 2 == 0 for number in numbers]


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    running = threading.Thread(target=loop.run_forever)
    running.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    running.join()
    loop.close()


def test_what_comes_meanwhile_is_answered_together(loop: asyncio.AbstractEventLoop) -> None:
    answers = Answers()
    batches: Batches[int] = Batches(answers)
    batches.begin(loop)

    def ask(number: int) -> Future[bool]:
        asked: Coroutine[Any, Any, bool] = batches.answered(number)
        return asyncio.run_coroutine_threadsafe(asked, loop)

    alone = []
    for number in range(THREADS):
        alone.append(ask(number))
        assert answers.begun.acquire(timeout=20)  # it waits for nobody
    others = [ask(number) for number in range(THREADS, THREADS + MOST + 3)]
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(20)  # they are in the queue
    answers.goes_on.set()

    asked = [*alone, *others]
    assert [one.result(20) for one in asked] == [number % 2 == 0 for number in range(len(asked))]
    assert Counter(number for some in answers.together for number in some) == Counter(range(len(asked)))
    assert [len(some) for some in answers.together[:THREADS]] == [1] * THREADS
    assert max(map(len, answers.together)) == MOST


@pytest.mark.django_db(transaction=True)
def test_of_many_callers_each_gets_its_own_payment(server: Server, acme: Shop, globex: Shop) -> None:
    for shop in (acme, globex):
        for _ in range(6):  # both processes know the key
            assert wire.status(server.ask(wire.post(shop.sandbox_key, wire.order()))) == 201
    before = Payment.objects.count()

    def create(n: int) -> tuple[Shop, dict[str, Any], dict[str, Any]]:
        shop = (acme, globex)[n % 2]
        answer = wire.told(server.ask(wire.post(shop.sandbox_key, wire.order())))["data"]
        return (
            shop,
            answer,
            wire.told(server.ask(wire.api(shop.sandbox_key, f"/payments/{answer['id']}", method="GET"))),
        )

    with ThreadPoolExecutor(24) as threads:
        found = list(threads.map(create, range(240)))

    assert Payment.objects.count() == before + 240
    for shop, created, read in found:
        assert read["data"] == created
        assert created["companyId"] == shop.company.pk
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT max(together) FROM (SELECT count(*) together FROM {Payment._meta.db_table} GROUP BY xmin::text) of"
        )
        [[together]] = cursor.fetchall()
    assert together > 1, "no two payments were stored by one statement"
