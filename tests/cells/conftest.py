"""The service before a coordinator of Citus and its nodes. acme and globex live in cells, the demo company does not."""

from collections.abc import Iterator

import pytest

from tests.bench.scale import SHORT
from tests.cells.nodes import ACMES, GLOBEXES, Nodes, missing, taken_on
from tests.nightly.alone import Alone
from tests.support.network import free_port
from tests.support.service import Service


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Alone("cells", short=SHORT))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if SHORT:
        items[:] = [one for one in items if not one.get_closest_marker("takes_minutes")]


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    if reason := missing():
        pytest.skip(reason)
    found = Nodes()
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="session")
def running(nodes: Nodes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    found = Service(tmp_path_factory.mktemp("home"), free_port(), {"sandboxApiKey": ""}, servers=nodes.settings)
    try:
        found.start()
        for cell in (ACMES, GLOBEXES):
            found.manage("add_cell", cell)
        yield found
        found.manage("verify_ledger")  # what is wrong once stays so
    finally:
        found.stop()


@pytest.fixture
def service(running: Service) -> Iterator[Service]:
    """With the key of the demo company, which lives in the first cell. All is well before and after each fault."""
    running.until(running.is_well, 60)
    yield running
    running.until(running.is_well, 60)


@pytest.fixture(scope="session")
def acmes(running: Service) -> Service:
    """The same service with acme's key, who lives in the cell that was emptiest."""
    return taken_on(running, "Acme", ACMES)


@pytest.fixture(scope="session")
def globexes(running: Service, acmes: Service) -> Service:
    """With globex's key, who came after acme."""
    return taken_on(running, "Globex", GLOBEXES)
