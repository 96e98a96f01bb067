"""The service before three hosts of PostgreSQL and Valkey, which are lost one after the other."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ha.cluster import SHORT, Cluster, missing
from tests.nightly.parts import Result
from tests.nightly.table import table
from tests.support.effort import todays
from tests.support.network import free_port
from tests.support.service import Service
from tests.support.tally import FILE, kept

BEGAN = time.monotonic()


def pytest_configure() -> None:
    """What was lost is kept for a table at the end, also where nobody asks for more."""
    os.environ.setdefault(FILE, str(Path(os.environ.get("TMPDIR", "/tmp")) / f"ha-{os.getpid()}.jsonl"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The short form takes a third of them a day."""
    if SHORT:
        items[:] = todays(items)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    counts = [count for count in kept(Path(os.environ[FILE])) if count.what != "tests"]
    terminalreporter.write_line(f"\n{table([Result('ha', counts, time.monotonic() - BEGAN, exitstatus == 0)])}")


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
