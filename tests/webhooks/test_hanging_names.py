"""A merchant whose name server never answers delays nobody else: real lookups, by the system's resolver."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.support.companies import Shop
from tests.support.name_server import a_name_server, asking_it
from tests.support.receiver import Receiver
from tests.support.webhooks import happens
from webhooks.dispatch import Dispatcher
from webhooks.models import Attempt, Delivery, Endpoint
from webhooks.services import MAX_ENDPOINTS, register

pytestmark = pytest.mark.django_db(transaction=True)

OTHERS = 10
CONNECT_MS = 5000


def test_names_that_are_never_answered_delay_nobody_else(
    acme: Shop, globex: Shop, receiver: Receiver, tmp_path: Path, settings: Any
) -> None:
    port = receiver.url.rpartition(":")[2]
    for n in range(MAX_ENDPOINTS):
        register(acme.sandbox, f"http://hanging-{n}.localhost:{port}", ["*"], None)
    for n in range(OTHERS):
        register(globex.sandbox, f"http://shop-{n}.localhost:{port}", ["*"], None)
    for n in range(2):
        happens(acme.sandbox, object_id=f"pay_{n}")

    async def deliver() -> None:
        running = asyncio.create_task(Dispatcher().run_for(2))
        while len(asyncio.all_tasks()) < 2 * MAX_ENDPOINTS:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(_announce, globex)
        await running

    with a_name_server() as names:
        asking_it(lambda: asyncio.run(deliver()), tmp_path)

    others = Delivery.objects.filter(endpoint__merchant=globex.sandbox)
    assert set(others.values_list("status", "attempts")) == {("DELIVERED", 1)}
    assert max(Attempt.objects.filter(delivery__in=others).values_list("elapsed_ms", flat=True)) < CONNECT_MS / 2
    assert not Endpoint.objects.filter(merchant=globex.sandbox, failures__gt=0).exists()
    hanging = Attempt.objects.exclude(delivery__in=others)
    assert set(hanging.values_list("error", flat=True)) == {"TIMEOUT"}
    assert {f"shop-{n}.localhost" for n in range(OTHERS)} < set(names.asked)


def _announce(shop: Shop) -> None:
    happens(shop.sandbox)
    connection.close()
