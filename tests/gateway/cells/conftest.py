"""Two cells beside the first one: acme lives in one of them, globex in the other."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from accounts.base import cells
from accounts.cells import forget
from accounts.models import Cell, User
from gateway.cells.building import build
from tests.support.companies import Shop, a_shop
from tests.support.lives import ACMES, FIRST, GLOBEXES, Lives
from tests.support.people import PASSWORD, browser_of
from tests.support.recording import as_in_a_test

# The transaction in which the two cells are made: open while tests with `lives` follow each other.
_around_tests = ExitStack()
_blocker: list[Any] = []


@pytest.fixture(autouse=True)
def they_are_gone() -> Iterator[None]:
    """What a test made is rolled back, and this process knows it."""
    yield
    forget()


@pytest.fixture
def two_cells(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any) -> None:
    """There before the test's own transaction begins, which is a part of theirs: to make them takes longer than most of
    these tests. `now()` of all these tests is when theirs began.
    """
    if "lives" not in request.fixturenames or _blocker:
        return
    request.getfixturevalue("shops")  # nothing is recorded in a transaction
    with django_db_blocker.unblock():
        _around_tests.enter_context(as_in_a_test())
        _around_tests.callback(transaction.set_rollback, True)
        _blocker.append(django_db_blocker)
        with cells.opened(FIRST):
            for cell in (ACMES, GLOBEXES):
                build(cell)


@pytest.fixture
def db(two_cells: None, db: None) -> None:
    """As everywhere, in the transaction of the cells if there is one."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """Before a test that knows nothing of the cells they are rolled back."""
    try:
        return (yield)
    finally:
        if _blocker and "lives" not in getattr(nextitem, "fixturenames", ()):
            with _blocker.pop().unblock():
                _around_tests.close()
            forget()


@pytest.fixture
def lives(db: None) -> Iterator[Lives]:
    with cells.opened(FIRST):
        Cell.objects.update(is_open=False)
        early = a_shop("Early")
        acme = _living_in(ACMES, "Acme")
        yield Lives(early, acme, _living_in(GLOBEXES, "Globex"))


@pytest.fixture
def people() -> list[Client]:
    """Two of ours, who see all cells."""
    names = ("finance@onpay.example", "operator@onpay.example")
    return [browser_of(User.objects.create_superuser(name, PASSWORD)) for name in names]


def _living_in(cell: str, name: str) -> Shop:
    """In the only cell that is open."""
    Cell.objects.update(is_open=False)
    Cell.objects.filter(name=cell).update(is_open=True)
    forget()
    return a_shop(name)
