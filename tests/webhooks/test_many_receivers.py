"""A dispatcher has a connection for each attempt, whatever the limit of open files with which it is started."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from pytest_django import Settings

from gateway.local import processes
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.receiver import Receiver, listening
from tests.support.waiting import until
from tests.support.webhooks import happens, registered
from webhooks.models import Delivery
from webhooks.queue import AT_ONCE

pytestmark = pytest.mark.django_db(transaction=True)
FILES = 64


@pytest.fixture
def receivers(settings: Settings) -> Iterator[list[Receiver]]:
    """So many that all their connections are more than the files. Each accepts only a few connections at once."""
    settings.LOCAL = True
    with ExitStack() as listen:
        found = [listen.enter_context(listening()) for _ in range(FILES // AT_ONCE + 2)]
        for receiver in found:
            receiver.takes_s = 2.0
        yield found


def test_attempts_in_flight_may_be_more_than_the_files_that_are_usual(
    api: Api, acme: Shop, receivers: list[Receiver], tmp_path: Path
) -> None:
    for receiver in receivers:
        registered(api, receiver.url)
    for n in range(AT_ONCE):
        happens(acme.sandbox, object_id=f"pay_{n}")
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    ends_with_us = processes.ends_with(os.getpid(), signal.SIGTERM)

    def begins() -> None:
        ends_with_us()
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

    with (tmp_path / "dispatcher.log").open("ab") as log:
        running = subprocess.Popen(
            [sys.executable, "manage.py", "deliver_webhooks"],
            cwd=settings.BASE_DIR,
            env=os.environ | {"DATABASE_URL": database},
            stdout=log,
            stderr=log,
            preexec_fn=begins,
        )
    try:
        until(lambda: not Delivery.objects.filter(attempts=0).exists(), 60)
    finally:
        running.terminate()
        running.wait(40)

    assert set(Delivery.objects.values_list("status", "attempts", "error")) == {("DELIVERED", 1, None)}
