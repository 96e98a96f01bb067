"""A whole local service of its own, whose parts are killed at the worst moments."""

import socket
from collections.abc import Iterator

import pytest

from tests.support.service import Service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    found = Service(home, port, {"sandboxApiKey": ""})
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture
def without_a_dispatcher(service: Service) -> Iterator[Service]:
    """Web, worker and beat alone."""
    service.stop()
    service.start("--without", "dispatcher")
    yield service
    service.stop()
    service.start()


@pytest.fixture(autouse=True)
def nothing_is_wrong_afterwards(service: Service) -> Iterator[None]:
    """Every fault ends with a well service and right books."""
    service.until(service.is_well, 60)
    yield
    service.until(service.is_well, 60)
    service.manage("verify_ledger")
