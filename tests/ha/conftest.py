"""The service before three hosts of PostgreSQL and Valkey, which are lost one after the other."""

import os
from collections.abc import Iterator

import pytest

from tests.ha.cluster import SHORT, Cluster, missing
from tests.nightly.alone import Alone
from tests.support.network import free_port
from tests.support.service import Service


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Alone("ha", short=SHORT))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if reason := missing():
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    found = Cluster()
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="session")
def running(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    found = Service(tmp_path_factory.mktemp("home"), free_port(), {"sandboxApiKey": ""}, servers=cluster.settings)
    try:
        found.start()
        yield found
        found.manage("verify_ledger")  # what is wrong once stays so
    finally:
        found.stop()


@pytest.fixture
def service(running: Service, cluster: Cluster) -> Iterator[Service]:
    """All is well before and after each fault."""
    cluster.until(cluster.is_whole, 120)
    running.until(running.is_well, 60)
    yield running
    cluster.until(cluster.is_whole, 120)
    running.until(running.is_well, 60)
