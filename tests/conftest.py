"""Two merchants, a client that holds every answer against the published contract, and books that are always proved."""

import gc
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import groupby
from types import ModuleType
from typing import Any

import pytest
from django.conf import settings
from django.test import TransactionTestCase
from hypothesis import HealthCheck
from hypothesis import settings as examples

from gateway.celery import app
from gateway.requests import log
from tests.support import scripted_provider
from tests.support.api import Api, another_address
from tests.support.books import prepare_the_proof, violations
from tests.support.cells import in_a_cell
from tests.support.companies import Shop, a_shop
from tests.support.database import database_of_this_run
from tests.support.effort import todays, tries
from tests.support.network import stay_inside
from tests.support.recording import Recording
from tests.support.requests import forget_requests
from tests.support.seeds import Seeds
from tests.support.tally import Count, keep

# How long an example takes says how busy the machine is. `make nightly` tries many more of them.
_patient = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
examples.register_profile("ours", max_examples=tries(15, 2000), **_patient)
examples.load_profile("ours")


def pytest_configure(config: pytest.Config) -> None:
    """What is slow or tight on purpose, where no test is about that."""
    stay_inside()
    settings.RATE_LIMITS |= {
        "payers": 10**6,
        "link_payers": 10**6,
        "payment_links": 10**6,
    }  # their browsers have one address here
    settings.REQUEST_LOG_DAYS = 0  # `request_log` turns it on
    settings.SANDBOX_NOTICES = False
    settings.PROVIDER_MODULES = [scripted_provider.MODULE]
    settings.WHITENOISE_AUTOREFRESH = True  # else every new client looks at every static file first
    app.conf.task_always_eager = True  # what a commit asks of the worker is done at once
    # Counts of sign-ins are forgotten between tests, and only this process's.
    settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is for another day: rows of a table, or tests of a file that starts whole processes. Nothing of
    files that are named.
    """
    if all(".py" in argument for argument in config.args):
        return
    chosen: list[pytest.Item] = []
    for _, rows in groupby(items, key=_table):
        table = [*rows]
        chosen += todays(table) if table[0].get_closest_marker("a_third_a_day") else table
    config.hook.pytest_deselected(items=list({*items} - {*chosen}))
    items[:] = chosen


def _table(item: pytest.Item) -> str:
    file = item.getparent(pytest.Module)
    is_marked = file is not None and any(mark.name == "a_third_a_day" for mark in file.own_markers)
    return item.nodeid.partition("::" if is_marked else "[")[0]


def pytest_collection_finish() -> None:
    """What was imported stays: to look through all of it again and again takes a fourth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Once, after all processes that ran tests."""
    keep(Count("tests", len(terminalreporter.stats.get("passed", ()))))


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """A database of its own for each process that runs tests."""
    with django_db_blocker.unblock(), database_of_this_run(), in_a_cell():
        prepare_the_proof()
        with closing(Seeds()) as seeds, pytest.MonkeyPatch.context() as patch:
            patch.setattr(TransactionTestCase, "_fixture_teardown", lambda test: seeds.put_back())
            yield


@pytest.fixture(scope="session")
def shops(django_db_setup: None, django_db_blocker: Any) -> dict[str, Recording[Shop]]:
    """The companies that most tests are about, onboarded once in each process."""
    with django_db_blocker.unblock():
        return {name: Recording(partial(a_shop, name)) for name in ("Acme", "Globex")}


@pytest.fixture(autouse=True)
def the_books_are_right(request: pytest.FixtureRequest) -> Iterator[None]:
    """Proves the books after every test that has a database."""
    uses_database = {"db", "transactional_db"} & set(request.fixturenames)
    if uses_database:
        request.getfixturevalue("transactional_db" if "transactional_db" in uses_database else "db")
    yield
    if uses_database:
        assert violations() == []


@pytest.fixture
def request_log(db: None, settings: Any) -> Iterator[ModuleType]:
    """The log of requests, on: a thread writes it, beside the test's transaction. `flush()` does so now."""
    settings.REQUEST_LOG_DAYS = 30
    yield log
    forget_requests()


@pytest.fixture
def address() -> str:
    """The test's own."""
    return another_address()


@pytest.fixture
def acme(shops: dict[str, Recording[Shop]], db: None) -> Shop:
    """Owns things."""
    return shops["Acme"].again()


@pytest.fixture
def globex(shops: dict[str, Recording[Shop]], db: None) -> Shop:
    """Must never see a thing of acme's."""
    return shops["Globex"].again()


@pytest.fixture
def api(acme: Shop, address: str) -> Api:
    """acme's backend in the sandbox."""
    return Api(acme.sandbox_key, address)


@pytest.fixture
def globex_api(globex: Shop, address: str) -> Api:
    """globex's backend in the sandbox."""
    return Api(globex.sandbox_key, address)
