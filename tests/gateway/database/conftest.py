"""A replica of the server of the tests."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections

from accounts.base.rows import execute
from gateway.database.replica import REPLICA
from tests.support.standby import Standby, rested


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standby]:
    found = Standby(tmp_path_factory.mktemp("standby") / "postgres", durable=False)
    found.start()
    yield found
    found.stop()
    shutil.rmtree(found.place)  # outside pytest's folders, which the server's user cannot enter


@pytest.fixture
def standby(server: Standby, transactional_db: None, settings: Any) -> Iterator[Standby]:
    """It runs, the service knows it, and has much patience with it on a busy machine."""
    server.start()
    settings.REPLICA_PATIENCE_MS = 20_000
    execute("SET synchronous_commit = on")  # as in production: what is committed is on its way to the replica
    usual = connections["default"].settings_dict
    options = {name: value for name, value in usual["OPTIONS"].items() if name != "pool"}
    replica = connections["default"].copy()  # under that name Django lets tests use it
    replica.settings_dict = usual | {"HOST": str(server.sockets), "OPTIONS": options}
    connections[REPLICA], connections.settings[REPLICA] = replica, replica.settings_dict
    rested()
    yield server
    replica.close()
    execute("RESET synchronous_commit")
    del connections[REPLICA], connections.settings[REPLICA]
