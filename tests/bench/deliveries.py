"""Webhooks: how many arrive in a second beside a bare loop, and how long after the commit the first attempt is made."""

import asyncio
import json
import random
import statistics
import time
from collections.abc import Iterable
from http.client import HTTPConnection
from typing import Any
from uuid import uuid4

import aiohttp
from django.db import connection, transaction

from accounts.base.ids import new_id
from accounts.models import Merchant
from gateway.payments import payloads
from gateway.payments import selectors as payments
from tests.bench import stage
from tests.bench.scale import scaled
from webhooks import services as webhooks
from webhooks import signing
from webhooks.models import Delivery, Event
from webhooks.outbox import emit

DISPATCHER = "manage.py deliver_webhooks"
DELIVERIES = scaled(20_000, 200)
SINGLE_PAYMENTS = scaled(100, 10)
AT_ONCE = 64
BACKLOG = scaled(4_500, 100)
EVENTS_BESIDE = scaled(100, 10)
SETTLES_IN_S = scaled(3, 2)
PATIENCE_S = 60


def subscribe(merchant: Merchant, receiver: int, endpoints: int = 1) -> None:
    for number in range(endpoints):
        webhooks.register(merchant, f"http://127.0.0.1:{receiver}/hooks/{number}", ["payment.paid"], None)


def rate(merchant: Merchant, receiver: int, endpoints: int, example: str) -> float:
    """Deliveries a second of one dispatcher with everything due, from the first arrival to the last one on record."""
    subscribe(merchant, receiver, endpoints)
    announce(merchant, example, DELIVERIES // endpoints)
    stage.settle()
    seen(receiver)
    before = _last_attempt()
    with stage.running("dispatcher", DISPATCHER):
        ended_at = _wait_until_recorded(before + DELIVERIES)
    arrived = seen(receiver)
    assert arrived["count"] == DELIVERIES, arrived["count"]
    return DELIVERIES / (ended_at - float(arrived["first_at"]))


def announce(merchant: Merchant, example: str, times: int) -> None:
    """So many payments were paid, all like the example."""
    paid = payments.get(merchant, example)
    payload = payloads.payment(paid)
    with transaction.atomic():
        for _ in range(times):
            other = new_id("pay")
            emit(merchant, "payment.paid", other, {**payload, "id": other}, paid.updated_at)


def bare_rate(merchant: Merchant, receiver: int) -> float:
    """The same bodies with the same signatures by the same HTTP library over kept connections, and nothing around."""
    secret = signing.new_secret()
    events = Event.objects.filter(merchant=merchant, type="payment.paid").order_by("-id")[:DELIVERIES]
    made = [(bytes(event.body), signing.headers(event.pk, bytes(event.body), [secret], 1795176000)) for event in events]
    seen(receiver)
    rate = asyncio.run(_send_all(f"http://127.0.0.1:{receiver}/hooks/0", made))
    assert seen(receiver)["count"] == DELIVERIES
    return rate


async def _send_all(url: str, made: list[tuple[bytes, dict[str, str]]]) -> float:
    waiting = iter(made)

    async def send(session: aiohttp.ClientSession) -> None:
        for body, headers in waiting:
            async with session.post(url, data=body, headers=headers) as answer:
                await answer.read()

    began = time.perf_counter()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(send(session) for _ in range(AT_ONCE)))
    return len(made) / (time.perf_counter() - began)


def beside_a_hanging_one(hanging: Merchant, well: Merchant, receiver: int, examples: tuple[str, str]) -> list[float]:
    """Milliseconds from the event to the first attempt at twenty endpoints, while another hangs on a backlog."""
    webhooks.register(hanging, f"http://127.0.0.1:{receiver}/hang", ["payment.paid"], None)
    announce(hanging, examples[0], BACKLOG)
    subscribe(well, receiver, 20)
    with stage.running("dispatcher", DISPATCHER):
        time.sleep(SETTLES_IN_S)
        for _ in range(EVENTS_BESIDE):
            time.sleep(0.1)
            announce(well, examples[1], 1)
        time.sleep(SETTLES_IN_S)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT extract(epoch FROM attempt.started_at - delivery.created_at) * 1000 FROM webhooks_delivery delivery
              JOIN webhooks_endpoint endpoint ON endpoint.id = delivery.endpoint_id AND endpoint.merchant_id = %s
              LEFT JOIN webhooks_attempt attempt ON attempt.delivery_id = delivery.id AND attempt.number = 1
            """,
            [well.pk],
        )
        return sorted(float("inf") if delay is None else float(delay) for (delay,) in cursor.fetchall())


def delays_ms(port: int, key: str, receiver: int, pending: list[str]) -> list[float]:
    """From the answer to a simulation, right after its commit, to the arrival of the webhook, in order of length."""
    http = HTTPConnection("127.0.0.1", port)
    answered: dict[str, float] = {}
    with stage.running("dispatcher", DISPATCHER):
        time.sleep(SETTLES_IN_S)
        seen(receiver)
        for payment in pending[:SINGLE_PAYMENTS]:
            time.sleep(random.uniform(0.02, 0.15))
            headers = {"x-api-key": key, "idempotency-key": str(uuid4()), "Content-Type": "application/json"}
            http.request("POST", f"/api/v2/simulations/payments/{payment}", b'{"status":"PAID"}', headers)
            answer = http.getresponse()
            answered[payment] = time.time()
            assert answer.status == 200, answer.read()
            answer.read()
        arrivals = _arrivals(receiver, answered)
    return sorted((arrivals[payment] - at) * 1000 for payment, at in answered.items())


def _arrivals(receiver: int, expected: Iterable[str]) -> dict[str, float]:
    """When each arrived, as soon as all have."""
    arrivals: dict[str, float] = {}
    deadline = time.monotonic() + PATIENCE_S
    while missing := set(expected) - arrivals.keys():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{len(missing)} webhooks did not arrive in {PATIENCE_S} s")
        time.sleep(0.5)
        arrivals |= seen(receiver)["arrivals"]
    return arrivals


def told(delays: list[float]) -> str:
    p99 = delays[int(len(delays) * 0.99) - 1]
    return f"p50 {statistics.median(delays):.0f} ms, p99 {p99:.0f} ms ({len(delays)} of them)"


def drop_what_is_due() -> None:
    """What the simulations left behind is nobody's business any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE webhooks_delivery SET status = 'CANCELED', next_attempt_at = NULL WHERE status = 'PENDING'"
        )


def _wait_until_recorded(attempt: int) -> float:
    """When the last of them was written. A look at the deliveries themselves would take its share of the processors."""
    deadline = time.monotonic() + PATIENCE_S
    while _last_attempt() < attempt:
        if time.monotonic() > deadline:
            raise TimeoutError(f"not everything was delivered in {PATIENCE_S} s")
        time.sleep(0.02)
    ended_at = time.time()
    while Delivery.objects.filter(status=Delivery.Status.PENDING).exists():
        assert time.monotonic() < deadline, "an attempt failed"
        time.sleep(0.02)
    return ended_at


def _last_attempt() -> int:
    """The number of the last one ever written, from its sequence."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM webhooks_attempt_id_seq")
        return int(cursor.fetchone()[0])


def seen(receiver: int) -> dict[str, Any]:
    """What arrived since somebody last asked."""
    http = HTTPConnection("127.0.0.1", receiver)
    http.request("GET", "/seen")
    return json.loads(http.getresponse().read())  # type: ignore[no-any-return]
