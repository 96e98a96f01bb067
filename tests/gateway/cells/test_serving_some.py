"""Processes that serve certain cells: they leave the work of the others, and it is told in which cell nobody works."""

import ast
import os
import subprocess
import sys
from math import inf

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from kombu import Connection
from pytest_django import Settings

from accounts import heartbeats
from accounts.cells import all_cells, every_cell, in_cell_of
from accounts.models import Heartbeat
from gateway.metrics.state import State
from gateway.payments.models import Payment
from gateway.payments.tasks import sweep_payments
from gateway.staff.overview import due
from gateway.tasks import background_heartbeat, forget_sessions, heartbeat, messages_heartbeat
from tests.support.companies import Shop
from tests.support.lives import ACMES, GLOBEXES, Lives
from tests.support.payments import pix
from tests.support.receiver import listening
from tests.support.webhooks import ago, happens, registered
from webhooks.dispatch import DISPATCHER, deliver_due
from webhooks.models import Delivery

pytestmark = pytest.mark.a_third_a_day

PUBLIC = "public"
SHOWN = "from django.conf import settings as s; print([s.CELLS, s.CELERY_BROKER_TRANSPORT_OPTIONS])"


def rest() -> list[str]:
    """All cells but acme's."""
    return [cell or PUBLIC for cell in every_cell() if cell != ACMES]


def of(shop: Shop) -> str:
    with in_cell_of(shop.sandbox):
        return Payment.objects.get().status


def ages() -> dict[str, dict[str, float]]:
    """Since when metrics tell that each process is silent, by cell."""
    found: dict[str, dict[str, float]] = {}
    for metric in State().collect():
        for sample in metric.samples if metric.name == "onpay_heartbeat_age_seconds" else ():
            found.setdefault(sample.labels["process"], {})[sample.labels["cell"]] = sample.value
    return found


def the_workers_beat() -> None:
    for beat in (heartbeat, messages_heartbeat, background_heartbeat):
        beat()
    heartbeat("SANDBOX")


def test_a_worker_leaves_the_work_of_cells_that_it_does_not_serve(lives: Lives, settings: Settings) -> None:
    for shop in (lives.early, lives.acme, lives.globex):
        lives.api(shop).post("/payments", pix())
        with in_cell_of(shop.sandbox):
            Payment.objects.update(expires_at=ago(minutes=1))

    settings.CELLS = [ACMES]
    sweep_payments("SANDBOX")
    assert (of(lives.early), of(lives.acme), of(lives.globex)) == ("PENDING", "EXPIRED", "PENDING")

    settings.CELLS = rest()
    sweep_payments("SANDBOX")
    assert (of(lives.early), of(lives.acme), of(lives.globex)) == ("EXPIRED",) * 3


def test_what_is_about_all_cells_is_done_by_who_serves_the_first_one(lives: Lives, settings: Settings) -> None:
    Session.objects.create(session_key="old", session_data="", expire_date=ago(days=1))

    settings.CELLS = [ACMES, GLOBEXES]
    forget_sessions()
    assert Session.objects.filter(pk="old").exists()

    settings.CELLS = rest()
    forget_sessions()
    assert not Session.objects.filter(pk="old").exists()


def test_deliveries_of_other_cells_are_left(lives: Lives, settings: Settings) -> None:
    settings.LOCAL = True
    events = []
    with listening() as receiver:
        for shop in (lives.early, lives.acme, lives.globex):
            registered(lives.api(shop), receiver.url)
            with in_cell_of(shop.sandbox):
                events.append(happens(shop.sandbox))

        settings.CELLS = [GLOBEXES]
        assert deliver_due() == 1
        assert [one.headers["webhook-id"] for one in receiver.received] == [events[2]]
        with all_cells():
            assert sorted(Delivery.objects.values_list("status", flat=True)) == ["DELIVERED", "PENDING", "PENDING"]

        settings.CELLS = []
        assert deliver_due() == 2
        assert {one.headers["webhook-id"] for one in receiver.received} == {*events}


def test_a_cell_that_nobody_serves_is_named(lives: Lives, settings: Settings, client: Client) -> None:
    settings.CELLS = [ACMES]
    the_workers_beat()
    heartbeats.beat(DISPATCHER)
    assert sorted(Heartbeat.objects.values_list("part", flat=True)) == [
        f"{part}@{ACMES}" for part in ("background", DISPATCHER, "messages", "sandbox", "worker")
    ]
    told = ages()
    assert told.keys() == {"background", DISPATCHER, "messages", "sandbox", "worker"}
    assert all(0 <= one.pop(ACMES) < 60 for one in told.values())
    assert all(one == dict.fromkeys(rest(), inf) for one in told.values())
    assert all(f"({cell})" in due.parts().label for cell in rest())
    assert ACMES not in due.parts().label
    assert client.get("/health/").json()["parts"]["worker"] is False

    settings.CELLS = rest()
    the_workers_beat()
    heartbeats.beat(DISPATCHER)
    assert all(max(one.values()) < 60 for one in ages().values())
    assert due.parts().label == "Healthy"
    assert client.get("/health/").json()["parts"]["worker"] is True

    Heartbeat.objects.filter(part=f"{DISPATCHER}@{ACMES}").update(beat_at=ago(minutes=2))
    late = [cell for cell, age in ages()[DISPATCHER].items() if age > 60]
    assert (late, due.parts().label) == ([ACMES], "Dispatcher (cell_11) not responding")
    assert heartbeats.silent(DISPATCHER) == [ACMES]


def test_who_serves_all_cells_serves_each(lives: Lives, settings: Settings) -> None:
    settings.CELLS = [ACMES]
    heartbeat()
    assert not heartbeats.is_alive("worker")

    settings.CELLS = []
    heartbeat()
    assert heartbeats.is_alive("worker")
    assert max(ages()["worker"].values()) < 60

    Heartbeat.objects.filter(part="worker").delete()
    assert heartbeats.silent("worker") == [cell for cell in every_cell() if cell != ACMES]


def shown(cells: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"ONPAY_CELLS": cells, "DJANGO_SETTINGS_MODULE": "gateway.settings"}
    return subprocess.run([sys.executable, "-c", SHOWN], env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("given", "cells", "prefix"),
    [
        ("", [], None),
        ("cell_02, public", ["cell_02", PUBLIC], None),
        ("cell_02,cell_01,cell_02", ["cell_01", "cell_02"], "cell_01+cell_02:"),
    ],
)
def test_who_serves_others_than_the_first_one_has_a_schedule_of_its_own(
    given: str, cells: list[str], prefix: str | None
) -> None:
    done = shown(given)

    assert done.returncode == 0, done.stderr
    found, options = ast.literal_eval(done.stdout)
    assert (found, options.get("global_keyprefix")) == (cells, prefix)


@pytest.mark.parametrize("wrong", ["cell_1", "cells", "cell_01;cell_02", "PUBLIC"])
def test_what_is_no_name_of_a_cell_is_refused(wrong: str) -> None:
    done = shown(wrong)

    assert done.returncode == 1
    assert "ONPAY_CELLS" in done.stderr


def test_a_message_of_one_schedule_is_not_taken_by_workers_of_another(settings: Settings) -> None:
    def connected(prefix: str) -> Connection:
        return Connection(settings.CELERY_BROKER_URL, transport_options={"global_keyprefix": prefix})

    with connected("cell_01:") as one, connected("") as other:
        sent, seen = one.SimpleQueue("money-of-a-test"), other.SimpleQueue("money-of-a-test")
        sent.put("sweep")
        with pytest.raises(seen.Empty):
            seen.get(timeout=0.2)
        assert sent.get(timeout=5).payload == "sweep"
        sent.clear()
