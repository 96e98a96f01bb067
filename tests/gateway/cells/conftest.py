"""Two cells beside the first one: acme lives in one of them, globex in the other."""

from collections.abc import Iterator

import pytest
from django.test import Client

from accounts.base import cells
from accounts.cells import forget
from accounts.models import Cell, User
from gateway.cells.building import build
from tests.support.companies import Shop, a_shop
from tests.support.lives import ACMES, FIRST, GLOBEXES, Lives
from tests.support.people import PASSWORD, browser_of


@pytest.fixture(autouse=True)
def they_are_gone() -> Iterator[None]:
    """What a test made is rolled back, and this process knows it."""
    yield
    forget()


@pytest.fixture
def lives(db: None) -> Iterator[Lives]:
    with cells.opened(FIRST):
        Cell.objects.update(is_open=False)
        early = a_shop("Early")
        acme = _in_a_new_cell(ACMES, "Acme")
        yield Lives(early, acme, _in_a_new_cell(GLOBEXES, "Globex"))


@pytest.fixture
def people() -> list[Client]:
    """Two of ours, who see all cells."""
    names = ("finance@onpay.example", "operator@onpay.example")
    return [browser_of(User.objects.create_superuser(name, PASSWORD)) for name in names]


def _in_a_new_cell(cell: str, name: str) -> Shop:
    """In the only cell that is open."""
    Cell.objects.update(is_open=False)
    build(cell)
    return a_shop(name)
