"""Real servers in folders of their own, which their own users can reach."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gateway.local import home
from gateway.local.postgres import Postgres
from gateway.local.server import Server
from gateway.local.valkey import Valkey


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A short folder that everybody may pass through: pytest's own are closed to other users, and deep.

    A module shares it, for a new cluster costs a second.
    """
    made = Path(tempfile.mkdtemp(prefix="onpay-test-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def started() -> Iterator[Callable[[Server], Server]]:
    """Starts servers, and stops them when the test ends."""
    servers: list[Server] = []

    def start(server: Server) -> Server:
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def postgres(place: Path, started: Callable[[Server], Server]) -> Postgres:
    server = Postgres(place / "postgres", durable=False)
    started(server)
    return server


@pytest.fixture(scope="module")
def valkey(place: Path, started: Callable[[Server], Server]) -> Valkey:
    server = Valkey(place / "valkey", durable=True)
    started(server)
    return server


@pytest.fixture(scope="module")
def bare_environment(place: Path) -> dict[str, str]:
    """What a shell has that knows nothing of a database: the suite itself runs on one."""
    set_for_us = ("DATABASE_URL", "CELERY_BROKER_URL", "ONPAY_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(set_for_us)}
    return kept | {"ONPAY_HOME": str(place), "PYTHONPATH": str(home.CHECKOUT)}
