"""The whole shop of the guides, in a process of its own, put to the readiness check by the program of the guides."""

import asyncio
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from accounts.base.clock import utcnow
from gateway.payments.models import Payment
from gateway.readiness.models import ReportedRelease
from tests.support.api import Api
from tests.support.network import free_port
from tests.support.sample_shop import time_passes
from tests.support.service import answers
from tests.support.waiting import until
from tests.support.webhooks import registered
from webhooks.dispatch import Dispatcher
from webhooks.models import Delivery

HELD_S, PATIENCE_S = 21, 62
"""Longer than a delivery is held back, and than a shop has for what it has to do."""


def graded(
    api: Api, service: str, shop: Sequence[object], check: Sequence[object], folder: Path, **environment: str
) -> str:
    """What the check's program says at its end. `shop` and `check` are the commands, which are run in the folder."""
    port = free_port()
    hook = registered(api, f"http://127.0.0.1:{port}/hooks")
    env = {
        **os.environ,
        **environment,
        "ONPAY_API_KEY": str(api.key),
        "ONPAY_BASE_URL": service,
        "ONPAY_ENDPOINT": hook.id,
        "ONPAY_WEBHOOK_SECRETS": hook.secret,
        "SHOP_URL": f"http://127.0.0.1:{port}",
    }
    with _dispatching(), _running([*shop, port], folder, env):
        until(partial(answers, port), 60)
        with _running(check, folder, env) as customers:
            assert customers.stdout
            said = customers.stdout.readline()
            assert said == "placed\n", said + customers.stdout.read()
            time_passes(HELD_S)
            until(lambda: not _unfinished(), 60, _unfinished)
            time_passes(PATIENCE_S)
            return customers.stdout.read().strip()


def _unfinished() -> list[str]:
    """Deliveries that are due, and paid orders that the shop has not released."""
    due = Delivery.objects.filter(status=Delivery.Status.PENDING, next_attempt_at__lte=utcnow())
    released = ReportedRelease.objects.values("payment")
    unreleased = Payment.objects.filter(status="PAID").exclude(pk__in=released)
    return [*due.values_list("pk", flat=True), *unreleased.values_list("reference", flat=True)]


@contextmanager
def _dispatching() -> Iterator[None]:
    """Delivers what is due, as the process of the service does."""
    stop, loop = asyncio.Event(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=[Dispatcher().run(stop)])
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


@contextmanager
def _running(command: Sequence[object], folder: Path, env: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    words = [str(word) for word in command]
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(10)
