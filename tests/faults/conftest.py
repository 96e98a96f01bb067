"""A whole local service of its own, whose parts are killed at the worst moments."""

import os
import socket
from collections.abc import Iterator

import pytest

from tests.support.effort import todays
from tests.support.service import Service


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The short form takes a third of them a day. Those that need another start of the service come last."""
    if os.environ.get("KILLS") == "1":
        items[:] = todays(items)
    items.sort(key=lambda item: "without_a_dispatcher" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    found = Service(home, port, {"sandboxApiKey": ""})
    try:
        yield found
        found.manage("verify_ledger")  # what is wrong once stays so
    finally:
        found.stop()


@pytest.fixture
def service(running: Service) -> Service:
    """All of it."""
    running.run()
    return running


@pytest.fixture
def without_a_dispatcher(running: Service) -> Service:
    """Web, worker and beat alone."""
    running.run("--without", "dispatcher")
    return running


@pytest.fixture(autouse=True)
def nothing_is_wrong_afterwards(running: Service) -> Iterator[None]:
    """Every fault ends with a well service, and all of them with right books."""
    yield
    running.until(running.is_well, 60)
