"""Who lives in which cell, and what is there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.core.management import call_command
from django.db import connection

from accounts.base import cells
from accounts.base.rows import execute
from accounts.cells import forget, in_cell_of
from accounts.models import Cell
from gateway.cells.building import keep_alike
from gateway.database.nodes import waits_for_all
from ledger.verify import verify
from tests.support.api import Api, another_address
from tests.support.companies import Shop

FIRST, ACMES, GLOBEXES = cells.FIRST, "cell_11", "cell_12"


@dataclass(frozen=True)
class Lives:
    """Who lives in which cell: acme in one, globex in another, and `early` in the first one since before there were
    others.
    """

    early: Shop
    acme: Shop
    globex: Shop

    def api(self, shop: Shop) -> Api:
        return Api(shop.sandbox_key, another_address())

    def in_turn(self) -> Iterator[Shop]:
        """One after the other, with the cell open in which it lives."""
        for shop in (self.early, self.acme, self.globex):
            with in_cell_of(shop.production):
                yield shop


def moved(shop: Shop, cell: str) -> None:
    """What was done so far is checked as it is with each commit: here it is one transaction with the move."""
    with cells.opened(FIRST):
        for when in ("IMMEDIATE", "DEFERRED"):
            execute(f"SET CONSTRAINTS ALL {when}")
        call_command("move_cell", shop.company.pk, cell or "public", settles=0)
    for merchant in (shop.sandbox, shop.production):
        merchant.refresh_from_db()


@contextmanager
def resting(cell: str) -> Iterator[None]:
    """As if its node did not answer."""
    cells.rest([cell], waits_for_all)
    try:
        yield
    finally:
        cells.rest([], waits_for_all)


def rows(table: str) -> list[int]:
    """How many rows of the table there are in the first cell, in acme's and in globex's."""
    found = []
    for name in (FIRST, ACMES, GLOBEXES):
        with cells.opened(name), connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {table}")
            found.append(cursor.fetchone()[0])
    return found


def violations() -> list[list[str]]:
    """The numbers of invariants that do not hold, in the first cell, in acme's and in globex's."""
    found = []
    for name in (FIRST, ACMES, GLOBEXES):
        with cells.opened(name):
            found.append([one.invariant.number for one in verify()])
    return found


def gone(cell: str) -> None:
    """One that was made for good, in a test that commits."""
    with cells.opened(FIRST):
        execute(f"DROP SCHEMA {cell} CASCADE")
        Cell.objects.filter(name=cell).delete()
        keep_alike()
    forget()
