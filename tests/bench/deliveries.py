"""Webhooks: how many arrive in a second, and how long after the commit the first attempt of one does."""

import json
import random
import statistics
import time
from http.client import HTTPConnection
from typing import Any
from uuid import uuid4

from django.db import connection, transaction

from accounts.models import Merchant
from gateway.payments import payloads
from gateway.payments import selectors as payments
from tests.bench.stage import running
from webhooks import services as webhooks
from webhooks.outbox import emit

DISPATCHER = "manage.py deliver_webhooks"
DELIVERIES = 5000
SINGLE_PAYMENTS = 100
PATIENCE_S = 60


def subscribe(merchant: Merchant, receiver: int, endpoints: int = 1) -> None:
    for number in range(endpoints):
        webhooks.register(merchant, f"http://127.0.0.1:{receiver}/hooks/{number}", ["payment.paid"], None)


def rate(merchant: Merchant, receiver: int, endpoints: int, example: str) -> float:
    """Deliveries a second of one dispatcher with everything due, from the first arrival to the last one on record."""
    subscribe(merchant, receiver, endpoints)
    payload = payloads.payment(payments.get(merchant, example))
    with transaction.atomic():
        for _ in range(DELIVERIES // endpoints):
            emit(merchant, "payment.paid", example, payload, payments.get(merchant, example).updated_at)
    _rest()
    _seen(receiver)
    with running("dispatcher", DISPATCHER):
        ended_at = _wait_until_delivered(merchant)
    seen = _seen(receiver)
    assert seen["count"] == DELIVERIES, seen["count"]
    return DELIVERIES / (ended_at - float(seen["first_at"]))


def delays_ms(port: int, key: str, receiver: int, pending: list[str]) -> list[float]:
    """From the answer to a simulation, right after its commit, to the arrival of the webhook, in order of length."""
    http = HTTPConnection("127.0.0.1", port)
    answered: dict[str, float] = {}
    with running("dispatcher", DISPATCHER):
        time.sleep(3)
        _seen(receiver)
        for payment in pending[:SINGLE_PAYMENTS]:
            time.sleep(random.uniform(0.02, 0.15))
            headers = {"x-api-key": key, "idempotency-key": str(uuid4()), "Content-Type": "application/json"}
            http.request("POST", f"/api/v2/simulations/payments/{payment}", b'{"status":"PAID"}', headers)
            answer = http.getresponse()
            answered[payment] = time.time()
            assert answer.status == 200, answer.read()
            answer.read()
        time.sleep(1)
    arrivals = _seen(receiver)["arrivals"]
    return sorted((arrivals[payment] - at) * 1000 for payment, at in answered.items())


def told(delays: list[float]) -> str:
    p99 = delays[int(len(delays) * 0.99) - 1]
    return f"p50 {statistics.median(delays):.0f} ms, p99 {p99:.0f} ms ({len(delays)} payments)"


def drop_what_is_due() -> None:
    """What the simulations left behind is nobody's business any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE webhooks_delivery SET status = 'CANCELED', next_attempt_at = NULL WHERE status = 'PENDING'"
        )


def _rest() -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")


def _wait_until_delivered(merchant: Merchant) -> float:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT EXISTS (SELECT FROM webhooks_delivery WHERE status = 'PENDING')")
            if cursor.fetchone() == (False,):
                return time.time()
        time.sleep(0.02)
    raise TimeoutError(f"not everything of {merchant} was delivered in {PATIENCE_S} s")


def _seen(receiver: int) -> dict[str, Any]:
    http = HTTPConnection("127.0.0.1", receiver)
    http.request("GET", "/seen")
    return json.loads(http.getresponse().read())  # type: ignore[no-any-return]
