"""A plugin of pytest: the suite with its companies in a cell on a node.

Nothing is recorded to be written again, and nothing is put back: each test makes what it stands on, in a transaction
that is undone. So tests that commit are left out, and those that a node cannot have.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from typing import Any, Generic, TypeVar

import pytest
from django.conf import settings
from django.core.management.sql import emit_post_migrate_signal, emit_pre_migrate_signal
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import override_settings

from tests.support.effort import todays

T = TypeVar("T")
LEFT_OUT = {
    "kit/test_search.py": "asks for pages without the door that opens all cells",
    "test_stuck_work.py": "a trigger makes a row fail, by a function that is for one session",
    "test_work_that_is_stuck_is_named_with_its_error_and_a_way_to_it": "the same",
    "test_the_course_of_balances_is_drawn_from_closed_days": "history is changed, which a node refuses whoever asks",
    "test_a_closed_balance_that_was_touched_is_found": "the same",
    "sdk/test_typing.py": "after a refusal it is asked again where the payment is, and a test is one transaction",
    "test_pages_of_the_shop_and_ours_may_read_the_answer": "the same",
}
"""Parts of the names of tests, and why a node cannot have them."""
# Tests turn times back by an expression that Citus refuses. To what the service adds to times it stays strict.
_BACK = "ALTER FUNCTION timestamptz_mi_interval(timestamptz, interval) IMMUTABLE"


class Built(Generic[T]):
    """What takes the place of a recording: it is built again for each test, on what was built last, as it would have
    been when the recording was made.
    """

    def __init__(self, build: Callable[..., T], *on: "Built[Any]") -> None:
        self._build, self._on = build, on
        self._settings = {name: getattr(settings, name) for name in ("LOCAL", "REQUEST_LOG_DAYS")}

    def again(self) -> T:
        with override_settings(**self._settings):
            self.latest = self._build(*(one.latest for one in self._on))
        return self.latest


class NothingToPutBack:
    """What takes the place of the seeds."""

    def close(self) -> None: ...


@contextmanager
def database() -> Iterator[None]:
    """The one that `Nodes.database` has made, migrated."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = 0; SET lock_timeout = 0; {_BACK}")
    emit_pre_migrate_signal(verbosity=0, interactive=False, db="default")
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    emit_post_migrate_signal(verbosity=0, interactive=False, db="default")
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    yield


def violations() -> list[str]:
    """What is wrong with the books at the end of a test; constraints that were deferred are checked, too."""
    from ledger.verify import verify

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    return [str(one) for one in verify()]


def pytest_configure(config: pytest.Config) -> None:
    """Takes the place of what the suite has already, and of what its tests will ask for."""
    from tests.support import books, recording

    instead = {
        "Recording": Built,
        "Seeds": NothingToPutBack,
        "database_of_this_run": database,
        "prepare_the_proof": lambda: None,
        "violations": violations,
    }
    plugins = config.pluginmanager.get_plugins()
    conftests = [one for one in plugins if str(getattr(one, "__file__", "")).endswith("conftest.py")]
    for module in (books, recording, *conftests):
        for name in instead.keys() & vars(module).keys():
            setattr(module, name, instead[name])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A third of each file a day, at night all."""
    can_be = [one for one in items if not _commits(one) and not any(part in one.nodeid for part in LEFT_OUT)]
    chosen = [one for _, file in groupby(can_be, attrgetter("path")) for one in todays([*file])]
    config.hook.pytest_deselected(items=[*({*items} - {*chosen})])
    items[:] = chosen


def _commits(item: pytest.Item) -> bool:
    marked = any(mark.kwargs.get("transaction") for mark in item.iter_markers("django_db"))
    return marked or "transactional_db" in getattr(item, "fixturenames", ())
