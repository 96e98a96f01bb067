"""Dispatchers that serve different cells: together they deliver everything, and one that dies leaves its own cells."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from prometheus_client import CollectorRegistry, generate_latest
from pytest_django import Settings

from accounts import heartbeats
from accounts.base import cells
from accounts.cells import every_cell, forget, in_cell_of
from accounts.models import Cell, Heartbeat, Merchant
from gateway.cells.building import build
from gateway.local import processes
from gateway.metrics.state import State
from tests.support.api import Api, another_address
from tests.support.companies import Shop, a_shop
from tests.support.lives import ACMES, FIRST, gone
from tests.support.prometheus import PROGRAM, watching
from tests.support.receiver import Receiver, listening
from tests.support.waiting import until
from tests.support.webhooks import ago, happens, registered
from webhooks.dispatch import DISPATCHER, deliver_without_dispatcher
from webhooks.models import Delivery

pytestmark = [pytest.mark.a_third_a_day, pytest.mark.django_db(transaction=True)]
PUBLIC = "public"
FIRED = 'ALERTS{alertname="ProcessSilent",alertstate="firing",process="dispatcher"}'


@pytest.fixture
def shops(settings: Settings) -> Iterator[dict[str, Shop]]:
    """A shop in each of two cells, made for good: other processes see them."""
    settings.LOCAL = True
    was_open = [*Cell.objects.filter(is_open=True).values_list("pk", flat=True)]
    try:
        with cells.opened(FIRST):
            Cell.objects.update(is_open=False)
            early = a_shop("Early")
            build(ACMES)
            yield {PUBLIC: early, ACMES: a_shop("Acme")}
    finally:
        with cells.opened(FIRST):
            Merchant.objects.filter(cell=ACMES).update(cell=None)
            gone(ACMES)
            Cell.objects.filter(pk__in=was_open).update(is_open=True)
        forget()


@contextmanager
def dispatchers(folder: Path, *served: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """One for each of these lists of cells, once they have told so."""
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    with (folder / "dispatchers.log").open("ab") as log:
        running = [
            subprocess.Popen(
                [sys.executable, "manage.py", "deliver_webhooks"],
                cwd=settings.BASE_DIR,
                env=os.environ | {"DATABASE_URL": database, "ONPAY_CELLS": some},
                stdout=log,
                stderr=log,
                preexec_fn=processes.ends_with(os.getpid(), signal.SIGTERM),
            )
            for some in served
        ]
    try:
        names = {f"{DISPATCHER}@{cell}" for some in served for cell in some.split(",")}
        until(lambda: Heartbeat.objects.filter(part__in=names).count() == len(names), 120)
        yield running
    finally:
        for one in running:
            one.kill()
            one.wait(20)


def announced(shops: dict[str, Shop], times: int) -> dict[str, list[str]]:
    """Events in each cell."""
    found = {}
    for cell, shop in shops.items():
        with in_cell_of(shop.sandbox):
            found[cell] = [happens(shop.sandbox, object_id=f"pay_{n}") for n in range(times)]
    return found


@contextmanager
def receiving(shops: dict[str, Shop]) -> Iterator[Receiver]:
    with listening() as receiver:
        for shop in shops.values():
            registered(Api(shop.sandbox_key, another_address()), receiver.url)
        yield receiver


def left(shop: Shop) -> int:
    """Deliveries without a result."""
    with in_cell_of(shop.sandbox):
        return Delivery.objects.filter(status="PENDING").count()


def received(receiver: Receiver) -> list[str]:
    return sorted(one.headers["webhook-id"] for one in receiver.received)


def metrics() -> str:
    registry = CollectorRegistry()
    registry.register(State())
    return generate_latest(registry).decode()


def alarmed(folder: Path) -> set[str]:
    """The cells that the alert names."""
    with watching(folder) as watched:
        text = metrics()
        watched.shown = lambda: text
        assert watched.until(lambda: bool(watched.value_of(FIRED)))
        return {one["metric"]["cell"] for one in watched.value_of(FIRED)}


def test_two_of_them_deliver_everything_and_one_that_dies_leaves_its_cells(
    shops: dict[str, Shop], tmp_path: Path
) -> None:
    others = ",".join(cell or PUBLIC for cell in every_cell() if cell != ACMES)
    with receiving(shops) as receiver, dispatchers(tmp_path, others, ACMES) as (lives_on, dies):
        events = announced(shops, 20)
        until(lambda: left(shops[PUBLIC]) + left(shops[ACMES]) == 0)
        assert received(receiver) == sorted(chain(*events.values()))
        assert heartbeats.silent(DISPATCHER) == []

        dies.kill()
        dies.wait(20)
        receiver.received.clear()
        events = announced(shops, 20)
        until(lambda: left(shops[PUBLIC]) == 0)
        Heartbeat.objects.filter(part=f"{DISPATCHER}@{ACMES}").update(beat_at=ago(minutes=2))  # so much later
        time.sleep(1)

        assert received(receiver) == sorted(events[PUBLIC])
        assert lives_on.poll() is None
        assert left(shops[ACMES]) == 20
        assert heartbeats.silent(DISPATCHER) == [ACMES]
        if PROGRAM:
            assert alarmed(tmp_path) == {ACMES}

        deliver_without_dispatcher()  # a worker that serves all cells
        assert received(receiver) == sorted(chain(*events.values()))


def test_a_worker_delivers_where_it_serves_and_no_dispatcher_does(shops: dict[str, Shop], settings: Settings) -> None:
    heartbeats.beat(DISPATCHER, [ACMES])
    with receiving(shops) as receiver:
        events = announced(shops, 3)

        settings.CELLS = [ACMES]
        deliver_without_dispatcher()
        assert receiver.received == []

        settings.CELLS = []
        deliver_without_dispatcher()
        assert received(receiver) == sorted(events[PUBLIC])

        heartbeats.end(DISPATCHER, [ACMES])
        settings.CELLS = [ACMES]
        deliver_without_dispatcher()
        assert received(receiver) == sorted(chain(*events.values()))
        assert not Heartbeat.objects.exists()
