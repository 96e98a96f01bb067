"""What the health checks of containers ask: whether this machine's worker, beat and dispatcher work."""

import asyncio
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.base.clock import utcnow
from gateway.celery import app
from gateway.tasks import worker_works
from gateway.timetable import Timetable
from webhooks.dispatch import Dispatcher

PARTS = ("worker", "beat", "dispatcher")


@pytest.fixture(autouse=True)
def signs(settings: Any, tmp_path: Path) -> Path:
    settings.SIGNS_OF_LIFE = str(tmp_path)
    return tmp_path


def works(part: str) -> bool:
    try:
        call_command("is_alive", part)
    except CommandError as error:
        assert part in str(error)  # noqa: PT017
        return False
    return True


def alive() -> list[str]:
    return [part for part in PARTS if works(part)]


def test_nobody_is_alive_before_the_first_sign() -> None:
    assert alive() == []


def test_a_worker_is_alive_when_it_has_done_something() -> None:
    worker_works()

    assert alive() == ["worker"]


@pytest.mark.django_db(transaction=True)
def test_a_beat_is_alive_when_it_looks_at_its_timetable() -> None:
    assert not works("beat")

    Timetable(app=app).tick()

    assert works("beat")


@pytest.mark.django_db(transaction=True)
def test_a_dispatcher_is_alive_when_it_looks_for_work() -> None:
    stop = asyncio.Event()

    async def for_a_moment() -> None:
        asyncio.get_running_loop().call_later(0.3, stop.set)
        await Dispatcher().run(stop)

    asyncio.run(for_a_moment())

    assert alive() == ["dispatcher"]


def test_a_sign_is_old_after_a_minute(signs: Path) -> None:
    worker_works()
    (sign,) = signs.iterdir()
    for age, known in ((59, True), (61, False)):
        at = (utcnow() - timedelta(seconds=age)).timestamp()
        os.utime(sign, (at, at))
        assert works("worker") is known


def test_a_machine_without_room_for_signs_works_on(settings: Any) -> None:
    settings.SIGNS_OF_LIFE = "/nowhere/at/all"

    worker_works()

    assert alive() == []
