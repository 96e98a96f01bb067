"""A call that takes too long is answered all the same, once, and nobody does it twice."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connection

from gateway.local.processes import wait_until
from gateway.payments.models import Payment
from tests.support import wire
from tests.support.companies import Shop
from tests.support.network import free_port
from tests.support.web_server import Server, serving

pytestmark = pytest.mark.django_db(transaction=True)
WITHIN_S, TAKES_S, PATIENCE_S = 1, 4, 60


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Server]:
    """With one thread."""
    few = {"ONPAY_WEB_WORKERS": "1", "ONPAY_WEB_THREADS": "1", "ONPAY_ANSWERED_WITHIN_S": str(WITHIN_S)}
    with serving(tmp_path_factory.mktemp("web") / "web.log", free_port(), **few) as running:
        yield running


@contextmanager
def slow_payments() -> Iterator[None]:
    """A database that takes its time for each new payment, and cannot be told to stop."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION takes_its_time() RETURNS trigger LANGUAGE plpgsql "
            f"AS $$ BEGIN PERFORM pg_sleep({TAKES_S}); RETURN NEW; END $$;"
            "CREATE TRIGGER takes_its_time BEFORE INSERT ON gateway_payment EXECUTE FUNCTION takes_its_time()"
        )
        try:
            yield
        finally:
            cursor.execute("DROP FUNCTION takes_its_time CASCADE")


def answered(server: Server, request: bytes) -> bytes:
    """Once the server has time for it."""
    until = time.monotonic() + PATIENCE_S
    while wire.status(answer := server.ask(request)) in (409, 503, 504):
        assert time.monotonic() < until, answer
        time.sleep(0.5)
    return answer


def begun(server: Server, shop: Shop, callers: ThreadPoolExecutor) -> Future[bytes]:
    """A new payment the database is at work on: where the machine is busy, the first one may be answered before."""
    for _ in range(PATIENCE_S):
        first = callers.submit(server.ask, wire.post(shop.sandbox_key, wire.order()))
        while not first.done():
            if at_work():
                return first
            time.sleep(0.02)
    raise AssertionError("no payment was begun")


def at_work() -> bool:
    """Whether the database takes its time for a payment."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")
        return cursor.fetchone() is not None


def test_a_call_that_takes_too_long_is_answered_504_and_found_again_by_its_key(server: Server, acme: Shop) -> None:
    order = wire.post(acme.sandbox_key, wire.order())
    answered(server, wire.post(acme.sandbox_key, wire.order()))  # the server has loaded everything
    assert Payment.objects.count() == 1

    with slow_payments():
        began = time.monotonic()
        late = server.ask(order)
        took = time.monotonic() - began

        told, headers = wire.told(late), wire.headers(late)
        assert (wire.status(late), told["onpayCode"], told["error"]["retryable"]) == (504, "ONP504", True)
        assert headers["requestid"] == told["error"]["requestId"]
        assert (headers["retry-after"], headers["cache-control"]) == ("5", "no-store")
        assert WITHIN_S <= took < TAKES_S
        assert Payment.objects.count() == 1

        again = answered(server, order)

    assert wire.status(again) == 201
    assert wire.headers(again)["idempotent-replayed"] == "true"
    assert Payment.objects.count() == 2
    assert f'"request_id":"{headers["requestid"]}"' in server.log.read_text()
    assert '"event":"request.unanswered"' in server.log.read_text()


def test_a_call_that_was_answered_before_its_turn_came_is_not_done(server: Server, acme: Shop) -> None:
    answered(server, wire.post(acme.sandbox_key, wire.order()))
    behind = [wire.post(acme.sandbox_key, wire.order()) for _ in range(2)]

    with slow_payments(), ThreadPoolExecutor(3) as callers:
        first = begun(server, acme, callers)
        statuses = [wire.status(answer) for answer in callers.map(server.ask, behind)]
        assert [wire.status(first.result()), *statuses] == [504, 504, 504]
        page = wire.head("GET", "/health/live")
        assert wire.status(server.ask(page)) == 200  # it has a thread of its own
        assert wait_until(lambda: Payment.objects.count() == 2, PATIENCE_S)
    answered(server, wire.api(acme.sandbox_key, method="GET"))  # in the same queue, behind all of them

    assert Payment.objects.count() == 2
